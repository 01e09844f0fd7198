"""Which training profile a notebook uses on which machine."""

from __future__ import annotations

from .exercise import Table
from .setup_error import SetupError


class ProfileChoice(Table):
    """The table `[assignments.profiles]`: names of profiles, which the notebook looks up."""

    default: str
    with_gpu: str
    only_with_gpu: list[str] = []  # would take hours without one

    def choose(self, given: str, has_gpu: bool) -> str:
        """The profile to use; `given`, if it is not empty, counts before the machine.

        Raises SetupError if the profile needs a GPU and there is none.
        """
        name = given or (self.with_gpu if has_gpu else self.default)
        if name in self.only_with_gpu and not has_gpu:
            raise SetupError(
                f"the profile {name!r} needs a GPU, and torch finds none here: choose one (Colab: "
                "Runtime, Change runtime type; Kaggle: Settings, Accelerator), or set "
                f"COURSE_PROFILE to {self.default!r}"
            )
        return name
