"""Metrics: compared with sacreBLEU and manual calculations, and in edge cases."""

import random

import pytest

from course_lib.data.grammar.sentence_pairs import pairs, words
from course_lib.evaluation.translation import (
    alignment_error_rate,
    bleu,
    bleu_by_hand,
    bootstrap,
    chrf,
    exact_match,
    paired_bootstrap,
)


@pytest.fixture(scope="module")
def references():
    return [french for _, french, _ in pairs("validation")[:200]]


def damaged(texts, share, seed=1):
    """The same texts, in some of which a word is missing or two have changed places."""
    generator = random.Random(seed)
    found = []
    for text in texts:
        tokens = text.split()
        if generator.random() < share:
            i = int(generator.random() * (len(tokens) - 1))
            if generator.random() < 0.5:
                del tokens[i]
            else:
                tokens[i : i + 2] = tokens[i : i + 2][::-1]
        found.append(" ".join(tokens))
    return found


# ---------------------------------------------------------------- BLEU


def test_a_score_carries_its_signature(references):
    score = bleu(references, references)
    assert score.value == pytest.approx(100)
    assert score.signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert str(score) == f"100.00 ({score.signature})"
    assert bleu(references, references, tokenize="none").signature.split("|")[3] == "tok:none"


def test_chrf_is_kinder_to_a_wrong_ending():
    wanted, wrong = ["les petites pommes sont rouges ."], ["les petites pomme sont rouge ."]
    assert chrf(wanted, wanted).value == pytest.approx(100)
    assert bleu(wrong, wanted).value < 50 < chrf(wrong, wanted).value < 100
    assert "|nc:6|nw:0|" in chrf(wanted, wanted).signature


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_bleu_by_hand_is_sacrebleus(share, references):
    hypotheses = damaged(references, share)
    by_hand = bleu_by_hand([t.split() for t in hypotheses], [t.split() for t in references])
    assert by_hand == pytest.approx(bleu(hypotheses, references, tokenize="none").value, abs=1e-9)


# ---------------------------------------------------------------- the bootstrap


def test_a_better_system_is_found_better(references):
    found = paired_bootstrap(damaged(references, 0.2), damaged(references, 0.7, 2), references)
    assert found.difference == pytest.approx(found.first - found.second)
    assert 0 < found.interval[0] < found.difference < found.interval[1]
    assert found.p_value < 0.01
    assert found.first == pytest.approx(bleu(damaged(references, 0.2), references).value)
    assert found.signature.endswith("|bs:1000|seed:12345")
    assert f"p = {found.p_value:.3f}" in str(found)


def test_a_system_is_not_better_than_itself(references):
    system = damaged(references, 0.5)
    found = paired_bootstrap(system, system, references, samples=100)
    assert (found.difference, found.interval, found.p_value) == (0, (0, 0), 1)


def test_equal_damage_elsewhere_is_no_difference(references):
    first, second = damaged(references, 0.5, 3), damaged(references, 0.5, 6)
    found = paired_bootstrap(first, second, references, samples=300)
    swapped = paired_bootstrap(second, first, references, samples=300)
    assert found.interval[0] < 0 < found.interval[1]
    assert found.p_value > 0.05
    assert swapped.difference == -found.difference
    assert swapped.p_value == found.p_value


@pytest.mark.parametrize("made", ["a b c d e f", "a b c x e f g", "a b", "x y z", "a b c d", ""])
def test_each_sample_has_sacrebleus_score(made):
    """Of one sentence every sample is that sentence; without a common 4-gram BLEU is smoothed."""
    wanted = bleu([made], ["a b c d e f"]).value
    assert bootstrap([made], ["a b c d e f"], samples=3) == pytest.approx(wanted)
    compared = paired_bootstrap([made], ["x"], ["a b c d e f"], samples=3)
    assert compared.interval == pytest.approx([compared.difference] * 2)


def test_p_agrees_with_sacrebleus_own_bootstrap(references):
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    first, second = damaged(references, 0.35, 3), damaged(references, 0.45, 5)
    systems = [("second", second), ("first", first)]
    _, results = PairedTest(systems, {"BLEU": BLEU()}, [references], "bs", 1000)()
    theirs = results["BLEU"][1].p_value
    assert paired_bootstrap(first, second, references).p_value == pytest.approx(theirs, abs=0.04)


# ---------------------------------------------------------------- alignments, exact match


def test_alignment_error_in_numbers():
    sure, possible = {(0, 0), (1, 2)}, {(0, 0), (1, 2), (1, 1)}
    assert alignment_error_rate([sure], [sure]) == 0
    assert alignment_error_rate([set()], [sure]) == 1
    assert alignment_error_rate([{(0, 0), (1, 1)}], [sure]) == pytest.approx(1 - 2 / 4)
    # |A ∩ S| = 1, |A ∩ P| = 2, |A| + |S| = 4
    assert alignment_error_rate([{(0, 0), (1, 1)}], [sure], [possible]) == pytest.approx(1 - 3 / 4)
    # added up over sentences, not averaged
    two = alignment_error_rate([sure, {(5, 5)}], [sure, {(0, 0)}])
    assert two == pytest.approx(1 - 4 / 6)


def test_the_diagonal_is_no_good_alignment_of_the_grammar():
    gold = [alignment for _, _, alignment in pairs("test")]
    diagonal = [
        {(i, i) for i in range(min(len(words(english)), len(words(french))))}
        for english, french, _ in pairs("test")
    ]
    assert 0.3 < alignment_error_rate(diagonal, gold) < 0.8


def test_exact_match_counts_whole_sentences():
    assert exact_match(["a b ", "c"], ["a b", "d"]) == 0.5
    assert exact_match(["A"], ["a"]) == 0


def test_mistakes_are_told_in_one_sentence():
    with pytest.raises(ValueError, match="2 translations have 1 references"):
        bleu(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="no translation to score"):
        chrf([], [])
    with pytest.raises(TypeError, match=r"write \[text\] for one text"):
        exact_match("a", ["a"])
    with pytest.raises(ValueError, match="2 translations have 1"):
        paired_bootstrap(["a"], ["a", "b"], ["a"])
    with pytest.raises(ValueError, match="no link to compare"):
        alignment_error_rate([[]], [[]])
