"""A class graded on a Dask cluster: the same grades, whatever happens to its workers."""

import os
import signal
import sys
from pathlib import Path

import in_process
import pytest
from checkout import ROOT
from proofs import COURSE

from grader.cli import main
from grader.gradebook.store import Store
from grader.grading import class_run, cluster, fingerprints
from grader.grading.judge_pool import ClusterError, Settings
from grader.intake.submissions import Submission
from grader.sandbox import detection

NOTEBOOK = (ROOT / "solutions" / "a1.ipynb").read_bytes()
TIER = detection.detect().name


def handed_in(count):
    """`count` students with different notebooks of assignment 1."""
    return [
        Submission(f"s{n:02}", "a1", f"s{n:02}.ipynb", NOTEBOOK + b"\n" * n) for n in range(count)
    ]


def graded(submissions, folder, meanwhile=lambda result: None, **settings):
    chosen = Settings(**{"jobs": 2, "tier": TIER, "executor": cluster.LOCAL, **settings})
    with Store(folder / "results.db") as store:
        found = []
        for result in class_run.grade_class(submissions, COURSE, store, chosen):
            found.append(result)
            meanwhile(result)
        return found, store.latest()


def dask_workers():
    """This process's Dask workers, by process id: its children that have a warm process."""
    lists = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    own = [int(pid) for text in lists for pid in text.split()]
    return [pid for pid in own if Path(f"/proc/{pid}/task/{pid}/children").read_text()]


needs_dask = pytest.mark.usefixtures("dask")


@pytest.fixture
def dask():
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")


@pytest.mark.slow
@needs_dask
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_a_worker_that_dies_costs_only_its_own_work(tmp_path):
    """It is done again by another, and what was stored is not graded again."""
    killed = []

    def kill_one(result):
        if not killed:
            killed.extend(dask_workers()[:1])
            os.kill(killed[0], signal.SIGKILL)

    found, stored = graded(handed_in(5), tmp_path, kill_one)
    assert killed
    assert sorted(result.student for result in found) == [f"s{n:02}" for n in range(5)]
    assert all(result.totals.automatic == result.totals.automatic_max for result in found)
    assert len(stored) == 5
    again, _ = graded(handed_in(5), tmp_path, executor="processes")
    assert [result.graded_at for result in again] == [
        {r.student: r for r in found}[result.student].graded_at for result in again
    ]


@pytest.mark.slow
@needs_dask
def test_an_interrupted_run_goes_on_where_it_was(tmp_path):
    def interrupt(result):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        graded(handed_in(3), tmp_path, interrupt, jobs=1)
    found, _ = graded(handed_in(3), tmp_path, jobs=1)
    assert len(found) == 3
    with Store(tmp_path / "results.db") as store:
        assert sum(len(store.history(f"s{n:02}", "a1")) for n in range(3)) == 3


@pytest.fixture
def tls():
    """Certificates, with which dask is configured."""
    import dask
    from distributed.security import Security

    pytest.importorskip("cryptography", reason="the extra `cluster` is not installed")
    made = Security.temporary()
    names = ("client", "scheduler", "worker")
    files = {
        f"distributed.comm.tls.{name}.{part}": getattr(made, f"tls_{name}_{part}")
        for name in names
        for part in ("key", "cert")
    }
    with dask.config.set({"distributed.comm.tls.ca-file": made.tls_ca_file, **files}):
        yield made


@needs_dask
def test_an_address_without_a_scheduler_is_one_sentence(tmp_path, tls):
    import dask

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(ClusterError, match="tls://127.0.0.1:9: no scheduler answers there"),
    ):
        graded(handed_in(1), tmp_path, executor="tls://127.0.0.1:9")


@needs_dask
def test_a_scheduler_without_certificates_is_not_asked(tmp_path):
    with pytest.raises(ClusterError, match="dask has no certificates: set"):
        graded(handed_in(1), tmp_path, executor="tls://127.0.0.1:9")


@needs_dask
def test_a_process_without_the_certificate_reaches_no_part_of_the_cluster(tmp_path):
    """Scheduler, workers and nannies: with one of them it would run code as the instructor."""
    from contextlib import ExitStack

    from distributed import Client
    from distributed.security import Security

    with ExitStack() as stack:
        client = cluster._connected(cluster.LOCAL, 1, stack)
        info = client.scheduler_info(n_workers=-1)
        (worker,) = info["workers"].values()
        places = [info["address"], *client.scheduler_info()["workers"], worker["nanny"]]
        assert all(place.startswith("tls://") for place in places)
        for place in places:
            for address in (place, place.replace("tls://", "tcp://")):
                secured = Security.temporary() if address == place else None
                with pytest.raises((OSError, TimeoutError)):
                    Client(address, security=secured, timeout=2)


@needs_dask
def test_workers_with_other_packages_or_several_threads_are_refused(tmp_path, monkeypatch, tls):
    from distributed import LocalCluster

    for threads, environment, told in (
        (2, None, "has 2 threads: start workers with --nthreads 1"),
        (1, "other", "has other packages than this machine"),
    ):
        with LocalCluster(
            n_workers=1,
            threads_per_worker=threads,
            dashboard_address=None,
            host="127.0.0.1",
            protocol="tls://",
            security=tls,
        ) as found:
            if environment:
                monkeypatch.setattr(fingerprints, "environment", lambda: "other")
            with pytest.raises(ClusterError, match=told):
                graded(handed_in(1), tmp_path, executor=found.scheduler_address)


def test_what_is_missing_or_misspelled_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install -e .\[cluster\]"):
        graded(handed_in(1), tmp_path)
    done = in_process.run(main, "grade", ".", "--executor", "slurm")
    in_process.one_sentence(
        done, 2, "--executor slurm: give processes, dask, or a scheduler's address"
    )
    done = in_process.run(main, "grade", ".", "--executor", "tcp://10.0.0.5:8786")
    in_process.one_sentence(done, 2, "anyone who reaches a cluster without TLS runs code as you")
