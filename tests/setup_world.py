"""A notebook's surroundings for tests: the students' tree on a web server, a cell run on its own.

Colab and Kaggle cannot be reached from a test. What stands in for them here are their folders'
layout, their lists of packages, and fakes of the modules `google.colab.*` with the calls we make.
"""

import json
import subprocess
import sys
import threading
import zipfile
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from grader.authoring.release import folder as release_folder
from grader.authoring.views import setup_cell
from grader.course.tree import requirements
from grader.library import student_tree

COLAB = sorted((Path(__file__).parent / "colab").glob("*.txt"))

# What a shell may set, and a student's machine does not: other places to import from, a profile.
OTHERS = ("PYTHONPATH", "VIRTUAL_ENV", "COURSE_PROFILE")

# Runs a cell as a notebook does, where no course is installed; prints what was then imported.
RUN = """
import os, sys
sys.path[:] = [p for p in sys.path if not os.path.isdir(os.path.join(p or ".", "course_lib"))]
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="NoColor")
result = shell.run_cell(open(sys.argv[1], encoding="utf-8").read(), store_history=True)
sys.exit(not result.success)
"""


def write_tree(course, folder):
    """The students' tree as they get it: the library with stubs, checks, data, requirements."""
    made = folder.with_name(f"{folder.name}-unpacked")
    student_tree.write(course, made)
    release_folder.put(release_folder.with_packed_grader(release_folder.read(made)), folder)
    (folder / "requirements.txt").write_text("\n".join(requirements(course.root)), "utf-8")
    return folder


def zipped(tree, target, top="student-main"):
    """A zip as GitHub makes it: everything in one folder."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            archive.write(path, Path(top, path.relative_to(tree)))
    return target


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def served(folder):
    """The address of a web server with the files of a folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def with_repository(course, address, branch="main"):
    update = {"student_repository": address, "student_branch": branch}
    facts = course.facts.model_copy(update=update)
    return course.model_copy(update={"facts": facts})


def cell_of(course, id, address=""):
    """The set-up cell of an assignment whose course is fetched from `address`."""
    return setup_cell.setup(with_repository(course, address), course.assignment(id))


def run_cell(cell, folder, environment, python=sys.executable):
    """Run a cell in `folder` in a fresh process; returns whether it worked, and what it printed."""
    path = folder / "cell.txt"
    path.write_text(cell, encoding="utf-8")
    done = subprocess.run(
        [str(python), "-c", RUN, path.name],
        cwd=folder,
        env={k: v for k, v in environment.items() if k not in OTHERS},
        capture_output=True,
        text=True,
    )
    return done.returncode == 0, done.stdout + done.stderr


FAKES = {
    "files": "def download(path):\n    print('downloaded', path)\n",
    "drive": "import os\ndef mount(place):\n    os.makedirs(place + '/MyDrive', exist_ok=True)\n",
    "_message": "def blocking_request(name, timeout_sec):\n"
    f"    assert name == 'get_ipynb'\n    return {json.dumps({'ipynb': {'cells': []}})}\n",
}


def fake_colab(folder):
    """A package `google.colab` in `folder` with the calls that the course makes."""
    package = folder / "google" / "colab"
    package.mkdir(parents=True)
    for name, text in {"__init__": "", **FAKES}.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    return folder
