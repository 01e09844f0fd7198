"""Published weights in `BertEncoder`, the vectors of sentences, and low-rank adapters."""

import pytest
import torch
from small_models import learned
from torch import nn

from course_lib.data.models import random_model
from course_lib.data.models.published_model import load_model
from course_lib.data.registry import DataError
from course_lib.data.segments import marked
from course_lib.families.encoder_heads import classifier_from
from course_lib.families.low_rank import LowRankLinear, add_low_rank
from course_lib.families.published_encoder import encoder_from, own_name, sentence_vectors
from course_lib.fast.forms import fast_model
from course_lib.normalization import LayerNorm

# What `transformers` 5 computes for this sentence with the published model: the first numbers of
# the vector of [CLS], and of the mean over the tokens, divided by its length.
SENTENCE = "The dog chased its ball."
OF_CLS = [0.2330943, 0.1712050, 0.2152673, 0.0417116, 0.1351341, 0.1580566]
OF_MEAN = [0.0467884, 0.0480734, 0.0155906, 0.0260783, 0.0416565, -0.0043528]


@pytest.fixture(scope="module")
def small():
    return load_model("minilm", ["generated"])


@torch.no_grad()
def test_the_real_model_gives_its_published_numbers(monkeypatch):
    """Where it is on this machine: 90 MB are not fetched for a test."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    try:
        model = load_model("minilm", ["mirror", "package"])
    except DataError as error:
        pytest.skip(f"load_model('minilm') has fetched nothing yet: {error}")
    encoder = encoder_from(model.config, model.weights).eval()
    ids = torch.tensor([marked(model.tokenizer.encode([SENTENCE])[0], 64)])
    torch.testing.assert_close(encoder(ids)[0][0, 0, :6], torch.tensor(OF_CLS), atol=1e-5, rtol=0)
    found = sentence_vectors(encoder, ids)[0, :6]
    torch.testing.assert_close(found, torch.tensor(OF_MEAN), atol=1e-5, rtol=0)


@torch.no_grad()
def test_the_vectors_are_those_of_transformers(small):
    transformers = pytest.importorskip("transformers", reason="the comparison needs transformers")
    theirs = transformers.BertModel(transformers.BertConfig(**small.config)).eval()
    theirs.load_state_dict(dict(small.weights), strict=False)
    encoder = encoder_from(small.config, small.weights).eval()
    ids = torch.tensor([[2, 90, 91, 92, 3, 0, 0], [2, 93, 94, 95, 96, 97, 3]])
    expected = theirs(ids, attention_mask=(ids != 0).long()).last_hidden_state
    real = ids != 0
    torch.testing.assert_close(encoder(ids)[0][real], expected[real], atol=1e-5, rtol=0)


def test_every_weight_has_its_own_place_or_none(small):
    names = {own_name(name): name for name in small.weights}
    unused = {name for name in small.weights if own_name(name) is None}
    assert unused == {"embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias"}
    encoder = encoder_from(small.config, small.weights)
    own = encoder.state_dict()
    assert {*own} == {*names} - {None}
    for name, tensor in own.items():
        assert torch.equal(tensor, small.weights[names[name]])
    eps = {part.eps for part in encoder.modules() if isinstance(part, LayerNorm)}
    assert eps == {small.config["layer_norm_eps"]}


@torch.no_grad()
def test_a_sentence_has_a_vector_of_length_1_whatever_padding_follows(small):
    encoder = encoder_from(small.config, small.weights).eval()
    ids = torch.tensor([[2, 90, 91, 92, 3]])
    vectors = sentence_vectors(encoder, torch.cat([ids, torch.zeros_like(ids)], dim=1))
    assert vectors.norm(dim=-1).item() == pytest.approx(1)
    torch.testing.assert_close(vectors, sentence_vectors(encoder, ids), atol=1e-5, rtol=0)


# ---------------------------------------------------------------- low-rank adapters


def made(rank=2, alpha=6.0):
    torch.manual_seed(0)
    linear = nn.Linear(5, 4)
    return linear, LowRankLinear(linear, rank, alpha)


def test_an_adapter_begins_at_the_layer_and_changes_it_by_a_matrix_of_low_rank():
    linear, adapted = made()
    x = torch.randn(3, 5)
    torch.testing.assert_close(adapted(x), linear(x))
    with torch.no_grad():
        adapted.B.copy_(torch.randn(4, 2))
    change = adapted.weight - linear.weight
    assert torch.linalg.matrix_rank(change) == 2
    torch.testing.assert_close(change, 6.0 / 2 * adapted.B @ adapted.A)
    expected = linear(x) + 3.0 * x @ adapted.A.T @ adapted.B.T
    torch.testing.assert_close(adapted(x), expected)


def test_only_the_thin_matrices_learn():
    linear, adapted = made()
    adapted(torch.randn(3, 5)).sum().backward()
    assert {n for n, p in adapted.named_parameters() if p.requires_grad} == {"A", "B"}
    assert linear.weight.grad is None
    assert adapted.B.grad.abs().sum() > 0
    assert not adapted.A.grad.any()  # B is zero, so A has to wait


@pytest.mark.parametrize("form", [lambda kind, *more: kind(*more), fast_model])
def test_an_encoder_with_adapters_learns_through_them_alone(small, form):
    encoder = form(encoder_from, small.config, small.weights).eval()
    model = form(classifier_from, encoder, 2, 0.0, "mean")
    ids, labels = torch.tensor([[2, 90, 91, 3], [2, 92, 93, 3]]), torch.tensor([0, 1])
    before = model.eval()(ids)[0]
    add_low_rank(model.encoder, rank=3)
    torch.testing.assert_close(model(ids)[0], before)
    learning = {name for name, one in model.named_parameters() if one.requires_grad}
    thin = {f"encoder.encoder.layers.{i}.attention.{w}.{m}"
            for i in range(random_model.LAYERS) for w in ("w_q", "w_v") for m in "AB"}  # fmt: skip
    assert learning == thin | {"output.weight", "output.bias"}
    kept = {name: one.clone() for name, one in model.named_parameters() if name not in learning}
    loss = lambda: nn.functional.cross_entropy(model(ids)[0], labels)  # noqa: E731
    assert learned(model, loss, steps=20, rate=1e-2) < 0.3
    now = dict(model.named_parameters())
    assert all(torch.equal(now[name], one) for name, one in kept.items())


def test_what_cannot_be_adapted_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match="rank = 0 leaves nothing to learn"):
        made(rank=0)
    with pytest.raises(ValueError, match="no linear layer named w_q or w_v"):
        add_low_rank(nn.Linear(2, 2), rank=1)
