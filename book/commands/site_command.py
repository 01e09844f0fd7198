"""`course site build`, `course site serve` and `course site quizzes`."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

from book import live_model, serving
from book.quizzes import forms, quiz
from grader.cli import EXIT_OK
from grader.cli.problems import UsageProblem

PACKAGES = ("sphinx", "myst_nb", "sphinx_book_theme", "sphinx_design", "sphinx_revealjs")


def build(to: Path, cache: Path, week: int, as_json: bool) -> int:
    """Build the site. Raises UsageProblem without Sphinx, and site_build.SiteError."""
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        raise UsageProblem(
            f"the site needs {', '.join(missing)}, which is not installed here: run "
            "`pip install -e .[site]` (Python 3.11 or newer)"
        )
    from book import site_build

    pages = site_build.build(to, cache, week, (lambda _: None) if as_json else print)
    if as_json:
        print(json.dumps({"pages": pages, "folder": str(to)}))
    else:
        print(f"{pages} pages in {to}; look at them: course site serve")
    return EXIT_OK


def serve(folder: Path, port: int) -> int:
    """Serve the built site on this machine only, until Ctrl-C. Raises UsageProblem."""
    if not (folder / "index.html").is_file():
        raise UsageProblem(f"{folder} holds no site: run `course site build` first")
    try:
        server = serving.server(folder, port)
    except OSError as error:
        raise UsageProblem(
            f"port {port} cannot be used ({error.strerror}): choose another with --port"
        ) from None
    with server:
        print(f"http://127.0.0.1:{server.server_address[1]}/ (Ctrl-C ends it)", flush=True)
        server.serve_forever()
    return EXIT_OK


def model(to: Path | None, as_json: bool) -> int:
    """Train the page's model and write it, for the library and the page alike."""
    folder = to or live_model.FOLDER
    measured = live_model.train(folder, (lambda _: None) if as_json else print)
    if as_json:
        print(json.dumps({"folder": str(folder), **measured}))
    else:
        print(f"{folder}: {100 * measured['exact_match']:.0f} % of its sentences are right")
    return EXIT_OK


def quizzes(names: list[str], to: Path, as_json: bool) -> int:
    """Write quizzes in their forms outside the site. Raises quiz.QuizError."""
    asked = [quiz.load(name) for name in names or quiz.names()]
    written = [path for one in asked for path in forms.write(one, to)]
    if as_json:
        print(json.dumps({"files": [str(path) for path in written]}))
    else:
        print(
            f"{len(asked)} quizzes, {len(written)} files in {to}; keep {to / 'answers'} to yourself"
        )
    return EXIT_OK
