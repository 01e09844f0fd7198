"""Sizes with a name are those of the paper."""

import pytest
import torch

from course_lib.recipes.sizes import SIZES
from course_lib.recipes.translation_profiles import PROFILES
from course_lib.transformer import Transformer


@pytest.mark.parametrize(("name", "millions"), [("base", 65), ("large", 213)])
def test_the_papers_models_have_the_papers_number_of_parameters(name, millions):
    with torch.device("meta"):  # shapes without memory
        model = Transformer(37_000, **SIZES[name])
    counted = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    assert counted == pytest.approx(millions, rel=0.04)  # Table 3; "about" 37,000 tokens


def test_every_profile_can_be_built():
    for profile in PROFILES.values():
        with torch.device("meta"):
            Transformer(profile.vocab_size, **profile.sizes)
