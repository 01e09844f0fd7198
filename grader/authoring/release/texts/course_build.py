"""Lets pip install this folder with nothing but Python, so that it works without a network.

`pip install -e .` finds this file by pyproject.toml (PEP 517 and 660: a build backend within the
tree). What the course needs is listed in requirements.txt, its version in its library.
"""

import base64
import hashlib
import re
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
SCRIPTS = "[console_scripts]\nstudent = grader.student.program:main\n"


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that adds this folder, and the grader in it, to Python's path."""
    project = _stated("pyproject.toml", r'(?m)^name = "(.+)"')
    stem = project.replace("-", "_")
    files = {f"{stem}.pth": f"{ROOT / 'grader.zip'}\n{ROOT}\n".encode()}
    version = _stated(f"{_library()}/__init__.py", r'__version__ = "(.+)"')
    python = _stated("pyproject.toml", r'requires-python = "(.+)"')
    needed = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    about = [
        "Metadata-Version: 2.1",
        f"Name: {project}",
        f"Version: {version}",
        f"Requires-Python: {python}",
        *(f"Requires-Dist: {line}" for line in needed if line.strip()),
    ]
    info = f"{stem}-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": "\n".join([*about, ""]).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: course_build\n"
        b"Root-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": SCRIPTS.encode(),
    }
    record = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    name = f"{stem}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name


build_wheel = build_editable  # without -e, too: notebooks and checks are here, not in a copy


def _library():
    """The name of the course's library."""
    return _stated("course.toml", r'(?m)^library = "(\w+)"')


def _stated(file, pattern):
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{file} does not have {pattern}: unpack the release again")
    return found.group(1)


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
