"""Writes a results file: measurements, command, package versions, device and data."""

import datetime
import json
import os
import platform
import statistics
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..course.course import Course

PACKAGES = ("torch", "numpy", "accelerate", "tokenizers", "sacrebleu", "pytest", "nbgrader")


def folder() -> Path:
    """Where the course keeps what was measured."""
    return Course.here().root / "results"


def measure(unit: str, values: list[float]) -> dict[str, Any]:
    """One measure: a value per repetition, their mean and standard deviation."""
    sd = statistics.stdev(values) if len(values) > 1 else 0.0
    rounded = [round(value, 6) for value in values]
    mean = round(statistics.fmean(values), 6)
    return {"unit": unit, "values": rounded, "mean": mean, "sd": round(sd, 6)}


def write(
    name: str,
    command: str,
    measures: Mapping[str, dict[str, Any]],
    data: Mapping[str, str],
    also: Mapping[str, Any] | None = None,
) -> Path:
    """Write `results/NAME.json`. `data` describes the data: name, source, sha256.

    `also` adds fields that are not measures, such as a list of failures.
    """
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    content = {
        "command": command,
        "date": datetime.date.today().isoformat(),
        "versions": versions,
        "device": _device(),
        "data": dict(data),
        "measures": dict(measures),
        **(also or {}),
    }
    folder().mkdir(exist_ok=True)
    path = folder() / f"{name}.json"
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return path


def _device() -> str:
    """The GPU's name if torch has used one, else the processor's."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return torch.cuda.get_device_name()
    return f"{_processor()}, {os.cpu_count()} cores"


def _processor() -> str:
    """The processor's name on Linux, else the machine type; a virtual machine's with its family."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    about = {key.strip(): value.strip() for key, _, value in (one.partition(":") for one in lines)}
    name = about.get("model name", platform.machine())
    if not {"cpu family", "model"} <= about.keys() or any(sign.isdigit() for sign in name):
        return name
    return f"{name} (family {about['cpu family']}, model {about['model']})"
