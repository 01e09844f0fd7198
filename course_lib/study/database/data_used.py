"""On which data a study is run: recorded by its first worker, held by all others."""

from __future__ import annotations

from typing import Any

import optuna

from ...data.datasets import LoadedData
from .storage import StudyError


def same_data(study: optuna.Study, data: LoadedData) -> dict[str, Any]:
    """Record what `data` is, under the study's attribute `data`; returns the record.

    A machine that cannot reach a data set may be served another in its place, and its trials
    would not be comparable. Raises StudyError when the study has trials on other data.
    """
    record = {
        "name": data.name,
        "origin": data.origin,
        "sha256": data.sha256,
        "splits": {name: len(split) for name, split in data.splits.items()},
    }
    before = study.user_attrs.get("data")
    if before is None:
        study.set_user_attr("data", record)
    elif before["sha256"] != record["sha256"]:
        raise StudyError(
            f"the study {study.study_name!r} was run on {before['name']} from {before['origin']}, "
            f"and here is {data.name} from {data.origin}: make the same data available here "
            "(see COURSE_DATA), or give another --name"
        )
    return record
