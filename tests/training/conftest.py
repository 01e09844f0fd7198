"""What the tests of trainings share."""

import pytest
from no_shape_checks import no_shape_checks


@pytest.fixture(scope="module")
def without_shape_checks():
    """For files of long trainings; test_train.py and test_translation_recipe.py check shapes."""
    with no_shape_checks():
        yield
