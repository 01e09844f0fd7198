"""What needs no Sphinx: the study plan that `course build` writes, the server of a built site."""

import gzip
import subprocess
import sys
import threading
import urllib.request

import pytest
from checkout import ROOT

from book import serving

ASKED = """
import sys
sys.modules.update(dict.fromkeys(("sphinx", "docutils", "myst_nb")))  # importing them fails
from book import documents
from grader.course.course import Course
plan = open("lectures/README.md", encoding="utf-8").read()
filled = documents.study_plan.filled(plan, Course.here())
print(filled.count("- [ ]"))
"""


def test_the_study_plan_is_filled_without_sphinx():
    done = subprocess.run(
        [sys.executable, "-c", ASKED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) > 10


# The server of a built site: what it sends, and in which form.


PAGE = b"<p>attention</p>" * 200


@pytest.fixture
def address(tmp_path):
    (tmp_path / "index.html").write_bytes(PAGE)
    (tmp_path / "small.css").write_bytes(b"p {}")
    with serving.server(tmp_path, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def sent(address, **headers):
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
        return answer.headers.get("Content-Encoding"), answer.read()


def test_text_is_compressed_for_whoever_takes_it(address):
    coding, content = sent(f"{address}/", **{"Accept-Encoding": "gzip, br"})
    assert coding == "gzip"
    assert gzip.decompress(content) == PAGE
    assert len(content) < len(PAGE) / 10


def test_whoever_does_not_take_it_gets_plain_text_and_so_does_a_small_file(address):
    assert sent(f"{address}/index.html", **{"Accept-Encoding": "identity"}) == (None, PAGE)
    assert sent(f"{address}/small.css", **{"Accept-Encoding": "gzip"}) == (None, b"p {}")
