"""The pages in a real browser, judged by axe-core: optional, as both must be installed.

Chromium is looked for on the path. axe-core is `axe.min.js`, in the file that the variable
COURSE_AXE names (from npm's package `axe-core`) or in the package `axe-playwright-python`.
"""

from __future__ import annotations

import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from sample_results import SYLLABUS, sample
from test_dashboard import class_of
from test_report import BUG, CARRIED

from autograder.gradebook import manual
from autograder.gradebook.manual import ManualMark, ManualMarks
from autograder.report import render, render_dashboard, render_student

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
RUN = """axe.run().then((found) => {
  const told = document.createElement("pre");
  told.id = "told";
  told.textContent = JSON.stringify(found.violations.map(
    (one) => [one.id, one.help, one.nodes.map((node) => node.html.slice(0, 200))]));
  document.body.append(told);
});"""


def axe_file() -> Path | None:
    if named := os.environ.get("COURSE_AXE"):
        return Path(named)
    package = importlib.util.find_spec("axe_playwright_python")
    return Path(package.submodule_search_locations[0]) / "axe.min.js" if package else None


BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
AXE = axe_file()
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason=f"none of {', '.join(BROWSERS)} is installed"),
    pytest.mark.skipif(
        AXE is None or not AXE.is_file(), reason="no axe-core: COURSE_AXE names no axe.min.js"
    ),
]


def pages():
    parts = [part.id for part in sample().parts]
    marks = {("s1", "a1", part): ManualMark(2.5, "Say why.") for part in parts[:2]}
    failed = {"1.3": [BUG], "1.4": [CARRIED], "1.5": [{**BUG, "outcome": "TIMEOUT"}]}
    one = sample("s1", failed=failed, not_written=("1.6",), received="2027-02-10T12:00:00Z")
    one = manual.apply(one, ManualMarks(SYLLABUS, marks))
    return {
        "student": render_student(one, SYLLABUS),
        "dashboard": render_dashboard([*class_of(12), sample("s1", "a2")], SYLLABUS),
        "report": render([one, *class_of(3)[2:]], SYLLABUS),
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["student", "dashboard", "report"])
def test_axe_finds_nothing_to_mend(name, scheme, tmp_path):
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", pages()[name])
    axe = AXE.read_text(encoding="utf-8").replace("</script", "<\\/script")
    scripts = f"<script>{axe}</script><script>{RUN}</script></body>"
    page = tmp_path / "page.html"
    page.write_text(text.replace("</body>", scripts), encoding="utf-8")
    done = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
            f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=30000",
            f"--blink-settings=preferredColorScheme={int(scheme == 'light')}", page.as_uri(),
        ],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    told = re.search(r'<pre id="told">(.*?)</pre>', done.stdout, re.S)
    assert told, done.stderr[-2000:]
    assert json.loads(html.unescape(told[1])) == []
