"""The peers of `course bench decode` hold our weights: greedy search gives the same tokens.

They are no part of the set-up (`pip install -e .[bench]`), so a test of one that is missing skips.
"""

import pytest
import torch

from bench.peers import Beam, PeerError, in_ctranslate2, in_joeynmt, in_marian, package
from bench.speeds import decode
from course_lib.transformer import Transformer

GREEDY = Beam(width=1, length_penalty=1.0, longest=12)
SIZES = {"n_layers": 2, "d_model": 32, "n_heads": 4, "d_ff": 64, "dropout": 0.0}
SENTENCES = [[5, 9, 14], [7], [30, 21, 22, 8, 8, 17], [11, 12, 13, 14, 15, 16, 18, 19, 20]]


def model():
    """An untrained model that is sure of what it says: the most likely token stands out."""
    torch.manual_seed(3)
    made = Transformer(40, **SIZES)
    with torch.no_grad():
        made.embedding.tokens.weight *= 4.0
        made.embedding.tokens.weight[0] = 0.0
    return made.eval()


def ours(made):
    found = decode.search(made, SENTENCES, *GREEDY)
    return [hypotheses[0].tokens for hypotheses in found]


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("ctranslate2", lambda made, folder: in_ctranslate2.translator(made, GREEDY, folder)),
        ("transformers", lambda made, folder: in_marian.translator(made, GREEDY)),
        ("joeynmt", lambda made, folder: in_joeynmt.translator(made, GREEDY)),
    ],
)
def test_a_peer_with_our_weights_says_the_same(name, make, tmp_path):
    pytest.importorskip(name)
    made = model()
    wanted = ours(made)
    assert len({tuple(tokens) for tokens in wanted}) > 1, "all the same would compare nothing"
    assert make(made, tmp_path)(SENTENCES) == wanted


def test_a_peer_that_is_missing_or_unknown_is_one_sentence():
    with pytest.raises(PeerError, match="there is no peer 'gpt': choose from"):
        decode._contenders(model(), ["gpt"], None)
    with pytest.raises(PeerError, match=r"joeynmt cannot be imported .*: pip install"):
        package("joeynmt.there_is_no_such_module")
