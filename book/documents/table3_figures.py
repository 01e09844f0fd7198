"""Computes figures for documents from the library: Table 3, and what its trainings cost."""

from collections.abc import Callable, Iterable

from course_lib.recipes.table2 import BATCH_TOKENS, BEAM, CLAIMS, LENGTH_PENALTY, Claim
from course_lib.recipes.table3 import ROWS, VOCABULARY, Row, parameter_count, vocabularies
from course_lib.recipes.training_cost import (
    H100,
    P100S,
    SENTENCE,
    attention_flops,
    papers_flops,
    papers_share,
    processor_hours,
    training_flops,
)
from grader.library.components import BuildError

from . import generated_parts

PARTS = {"base": 4, "big": 8}  # of a batch of 25,000 tokens a side, in a GPU's memory


def filled(text: str) -> str:
    """The document with every computed part. Raises BuildError for one that is unknown."""

    def part(name: str) -> str:
        if name not in COMPUTED:
            raise BuildError(f"nothing computes {name!r}: add it to COMPUTED")
        return f"\n{COMPUTED[name]()}\n"

    return generated_parts.filled(text, "computed", part)


def _rows() -> str:
    """Every row of Table 3 with its parameters, ours and the paper's."""
    head = (
        "row",
        "what changes",
        f"ours, {VOCABULARY:,} tokens (10⁶)",
        "the paper's (10⁶)",
        "a vocabulary that gives the paper's",
        "the paper's perplexity and BLEU",
    )
    return _table(head, map(_row, ROWS.values()))


def _row(row: Row) -> tuple[str, ...]:
    ours = parameter_count(row.model, VOCABULARY) / 1e6
    listed, range_of = "as base", "as base"
    if row.reported.parameters is not None:
        low, high = vocabularies(row)
        listed, range_of = str(row.reported.parameters), f"{low:,} to {high:,}"
    scores = f"{row.reported.perplexity:.2f}, {row.reported.bleu:.1f}"
    return f"`{row.name}`", row.changed, f"{ours:.1f}", listed, range_of, scores


def _difference() -> str:
    """Why the counts differ, from the counts."""
    listed = {row.name: vocabularies(row) for row in ROWS.values() if row.reported.parameters}
    big = listed.pop("big")
    low, high = max(a for a, _ in listed.values()), min(b for _, b in listed.values())
    base, learned = (parameter_count(ROWS[name].model, VOCABULARY) for name in ("base", "E"))
    no_words = parameter_count(ROWS["base"].model, 0)
    return (
        f"All of the difference is in the vocabulary. Without it the base model has "
        f"{no_words / 1e6:.1f} million parameters, and {VOCABULARY:,} shared tokens of 512 numbers "
        f"add {(base - no_words) / 1e6:.1f}. The {len(listed)} counts that the paper lists beside "
        f'that of "big" are, rounded, exactly those of our models with any one vocabulary of '
        f'{low:,} to {high:,} tokens, rows (B) included; the count of "big" alone takes '
        f"{big[0]:,} to {big[1]:,}. The paper says about {VOCABULARY:,} and does not say how it "
        f"counted. Row (E) has {(learned - base) / 1e6:.1f} million more for its table of "
        f"positions, whose length the paper does not give."
    )


def _costs() -> str:
    """The cost of each translator of Table 2, by our count and by the paper's."""
    head = (
        "row, corpus",
        "the paper's BLEU",
        "parameters (10⁶)",
        "floating-point operations",
        f"of them Q Kᵀ and A V, in sentences of {SENTENCE} tokens",
        f"the paper's estimate, {P100S} P100",
        "the share of a P100 that was used",
        f"GPU hours, {H100.name} at {100 * H100.share:.0f}%",
    )
    return _table(head, map(_cost, CLAIMS.values()))


def _cost(claim: Claim) -> tuple[str, ...]:
    row = ROWS[claim.row]
    flops = training_flops(row, claim.vocab_size)
    attention = attention_flops(row.model, 1.0) / (flops / (BATCH_TOKENS * row.steps))
    return (
        f"`{claim.row}`, `{claim.corpus}`",
        f"{claim.bleu:.1f}",
        f"{parameter_count(row.model, claim.vocab_size) / 1e6:.1f}",
        _power(flops),
        f"{100 * attention:.1f}%",
        f"{_power(papers_flops(row))} in {row.hours * P100S:.0f} GPU hours",
        f"{100 * papers_share(row, claim.vocab_size):.0f}%",
        f"{processor_hours(flops, H100):.1f}",
    )


def _power(number: float) -> str:
    digits, _, exponent = f"{number:.1e}".partition("e")
    return f"{digits} · 10^{int(exponent)}"


def _commands() -> str:
    """The command of each translator, with what it does."""
    lines = []
    for claim in CLAIMS.values():
        row = ROWS[claim.row]
        lines += [
            f"# {claim.bleu:.1f} BLEU in the paper: {row.steps:,} steps, the last {row.averaged} "
            f"of {row.checkpoints} checkpoints averaged, beam {BEAM}, α = {LENGTH_PENALTY}",
            f"course replicate --row {claim.row} --data {claim.corpus} "
            f"--accumulate {PARTS[claim.row]} --test",
        ]
    return "\n".join(["```bash", *lines, "```"])


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


COMPUTED: dict[str, Callable[[], str]] = {
    "table3_rows": _rows,
    "table3_difference": _difference,
    "translators_costs": _costs,
    "translators_commands": _commands,
}
