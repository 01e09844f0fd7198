"""The data set that a benchmark names, and never what stands in for it."""

from autograder.scorers.labels import REAL
from course_lib.data import datasets
from course_lib.data.registry import DataError, read


def itself(name: str) -> datasets.LoadedData:
    """The data set of this name, a program's as well. Raises DataError if no source has it."""
    entry = read().entry(name)
    return datasets.load(name, [s for s in entry.sources if s not in entry.stand_ins])


def real(name: str) -> datasets.LoadedData:
    """The same, from the mirror or the hub. Raises DataError for data that a program made up."""
    if not set(read().entry(name).sources) & set(REAL):
        raise DataError(f"{name} is made up by a program: choose a profile of real data")
    return itself(name)
