"""Experiment trackers: the evaluations of each trial as a run of its own, through Accelerate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path

from ..space import Configuration
from .storage import WrongOption

TRACKERS = ("tensorboard", "wandb", "comet_ml", "mlflow")  # each is also its package's name
Log = Callable[[int, dict[str, float]], None]  # (step, what was measured)
Follow = Callable[[int, Configuration, int], AbstractContextManager[Log]]


@contextmanager
def no_tracker(number: int, configuration: Configuration, seed: int) -> Iterator[Log]:
    """No tracker: the study's own database has every curve."""
    yield lambda step, measured: None


def check(tracker: str) -> None:
    """Raises WrongOption for a tracker that is not known, or whose package is not installed."""
    if tracker not in TRACKERS:
        raise WrongOption(f"there is no tracker {tracker!r}: choose one of {', '.join(TRACKERS)}")
    if find_spec(tracker) is None:
        raise WrongOption(
            f"the tracker {tracker} needs the package {tracker!r}, which is not installed: "
            f"pip install {tracker}"
        )


def follow(tracker: str, study: str, folder: Path = Path("runs")) -> Follow:
    """What opens a run of `tracker` for a trial; `folder` is for trackers that write files.

    Raises WrongOption as `check` does.
    """
    check(tracker)
    from accelerate import Accelerator  # a second, for those who want it

    @contextmanager
    def run(number: int, configuration: Configuration, seed: int) -> Iterator[Log]:
        name = f"trial_{number}"
        accelerator = Accelerator(log_with=tracker, project_dir=folder)
        accelerator.init_trackers(
            f"{study}/{name}" if tracker == "tensorboard" else study,
            config={"trial": number, "seed": seed, **configuration},
            init_kwargs={"wandb": {"name": name}, "mlflow": {"run_name": name}},
        )
        try:
            yield lambda step, measured: accelerator.log(measured, step=step)
        finally:
            accelerator.end_training()

    return run
