"""Lighthouse's scores of pages of the built site, as `course site serve` sends them."""

import hashlib
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from book import serving
from book.decks import browser
from grader.authoring import results_file
from grader.course.problem import Problem

NAME = "bench_site"
PAGES = {
    "home": "index.html",
    "lecture": "part2_self_attention.html",
    "last_lecture": "part8_applications.html",
    "live": "live.html",
    "deck": "slides/part2_self_attention.html",
}
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
DEVICES = {"phone": [], "desktop": ["--preset=desktop"]}  # Lighthouse's own defaults, its preset
SECONDS = 300  # for one page


class MeasureError(Problem):
    """The site cannot be measured here; the message says what is missing or failed."""


def run(folder: Path, runs: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Measure each page on a slow phone and on a desktop; writes `results/bench_site.json`."""
    lighthouse = _program()
    binary = browser.path()
    scores: dict[str, list[float]] = {}
    power: list[float] = []
    version = ""
    with serving.server(folder, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for device, options in DEVICES.items():
            for page, path in PAGES.items():
                for _ in range(runs):
                    log(f"{page}, {device}")
                    address = f"http://127.0.0.1:{server.server_address[1]}/{path}"
                    found = _report([*lighthouse, *options], address, binary)
                    version = found["lighthouseVersion"]
                    power.append(found["environment"]["benchmarkIndex"])
                    for category in CATEGORIES:
                        score = 100 * found["categories"][category]["score"]
                        name = f"{page}_{device}_{category.replace('-', '_')}"
                        scores.setdefault(name, []).append(score)
        server.shutdown()
    measures = {name: results_file.measure("of 100", values) for name, values in scores.items()}
    measures["benchmark_index"] = results_file.measure("of the machine, by Lighthouse", power)
    content = "".join(hashlib.sha256((folder / p).read_bytes()).hexdigest() for p in PAGES.values())
    data = {"name": "pages of the site", "sha256": hashlib.sha256(content.encode()).hexdigest()}
    command = f"course bench site --runs {runs}"
    results_file.write(NAME, command, measures, data, {"lighthouse": version})
    return measures


def _program() -> list[str]:
    """Lighthouse where it is installed, else by npx, which fetches it. Raises MeasureError."""
    if found := shutil.which("lighthouse"):
        return [found]
    if shutil.which("npx") is None:
        raise MeasureError("Lighthouse is run by npx, which is not installed: install Node.js")
    return ["npx", "--yes", "lighthouse"]


def _report(command: list[str], address: str, binary: str) -> dict[str, Any]:
    command = [*command, address, "--quiet", "--output=json", "--output-path=stdout"]
    command += [f"--only-categories={','.join(CATEGORIES)}"]
    command += ["--chrome-flags=--headless --no-sandbox"]
    environment = {**os.environ, "CHROME_PATH": binary}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS, env=environment
        )
        return json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise MeasureError(f"Lighthouse took longer than {SECONDS} s for {address}") from None
    except json.JSONDecodeError:
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise MeasureError(f"Lighthouse gave no report of {address}; it said: {said}") from None
