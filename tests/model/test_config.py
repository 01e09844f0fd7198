"""`TransformerConfig`: the paper's values, the same in every constructor, and of a model."""

import dataclasses
import inspect

import pytest
import torch

from course_lib.classifier import EncoderClassifier
from course_lib.config import PRESETS, TransformerConfig
from course_lib.decoder import Decoder, DecoderLayer
from course_lib.encoder import Encoder, EncoderLayer
from course_lib.fast.forms import fast_model
from course_lib.transformer import Transformer

UNUSUAL = TransformerConfig(
    n_layers=3, d_model=24, n_heads=4, d_ff=40, dropout=0.25, norm_first=True, position_scale=0.5
)


@pytest.mark.parametrize(
    ("name", "own", "papers", "tokens"), [("base", 63.1, 65, 40_700), ("big", 214.2, 213, 35_800)]
)
def test_the_papers_models_have_the_papers_number_of_parameters(name, own, papers, tokens):
    with torch.device("meta"):  # shapes without memory
        model = Transformer(37_000, **PRESETS[name].arguments)
    counted = sum(parameter.numel() for parameter in model.parameters())
    assert round(counted / 1e6, 1) == own
    assert counted / 1e6 == pytest.approx(papers, rel=0.04)  # Table 3; "about" 37,000 tokens
    others = (papers * 1e6 - counted) / PRESETS[name].d_model
    assert 37_000 + others == pytest.approx(tokens, abs=50)


@pytest.mark.parametrize("config", [*PRESETS.values(), UNUSUAL])
@pytest.mark.parametrize("model", [Transformer, EncoderClassifier])
def test_a_model_tells_the_record_it_was_built_from(model, config):
    with torch.device("meta"):
        made = model(50, **config.arguments)
        fast = fast_model(model, 50, **config.arguments)
    assert TransformerConfig.of(made) == config
    assert TransformerConfig.of(fast) == config


@pytest.mark.parametrize(
    "component", [EncoderLayer, Encoder, DecoderLayer, Decoder, Transformer, EncoderClassifier]
)
def test_the_components_have_the_same_defaults(component):
    parameters = inspect.signature(component).parameters
    ours = TransformerConfig().arguments
    shared = {name: parameters[name].default for name in ours if name in parameters}
    assert shared == {name: ours[name] for name in shared}
    assert {"d_model", "n_heads", "d_ff", "dropout", "norm_first"} <= set(shared)
    if component in (Transformer, EncoderClassifier):
        assert set(shared) == set(ours)


def test_a_record_cannot_be_changed_but_varied():
    with pytest.raises(dataclasses.FrozenInstanceError):
        UNUSUAL.d_model = 48
    assert dataclasses.replace(UNUSUAL, d_model=48).arguments == UNUSUAL.arguments | {"d_model": 48}


@pytest.mark.parametrize("n_heads", [5, 0, -4])
def test_heads_that_do_not_divide_the_model_are_refused(n_heads):
    with pytest.raises(ValueError, match=rf"d_model = 24 cannot .* n_heads = {n_heads} heads"):
        dataclasses.replace(UNUSUAL, n_heads=n_heads)


def test_a_record_tells_its_sizes_and_what_is_not_the_papers():
    assert str(PRESETS["cpu"]) == "n_layers 2, d_model 128, n_heads 4, d_ff 512, dropout 0.1"
    assert str(UNUSUAL).endswith("d_ff 40, dropout 0.25, norm_first True, position_scale 0.5")
