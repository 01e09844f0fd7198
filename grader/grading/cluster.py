"""Grades on a Dask cluster: each Dask worker is a judge process with its own warm processes.

A few submissions are under way at a time, so neither the scheduler nor the workers hold a class.
Results come back to the caller, who alone writes to the store. If a worker dies, Dask grades what
it had on another one; a submission that ends several workers comes back without a result.

Anyone who reaches a scheduler, a worker or a nanny runs code as its user, and reads hidden tests
and labels. So nothing is used without TLS, where each side shows a certificate: workers that are
started here get one for the run, and an address is that of a cluster with its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from grader.checking.faults import SuiteError

from . import judge_process
from .judge_pool import ClusterError, Settings

if TYPE_CHECKING:
    from distributed import Client

    from grader.course.course import Course

    from .retries import Answer, Judges, Question


from distributed import Worker, WorkerPlugin

from grader.course.course import Course

from . import fingerprints, warm_processes


class Judge(WorkerPlugin):
    """Refuses a worker that would grade otherwise than the machine that stores the results."""

    def __init__(self, course: Course, assignments: set[str], settings: Settings):
        self.course, self.assignments, self.settings = course, assignments, settings
        self.environment = fingerprints.environment()  # of the machine that stores the results

    def setup(self, worker: Worker) -> None:
        """Start the warm processes. Raises ClusterError or SandboxError."""
        if worker.state.nthreads != 1:
            raise ClusterError(
                f"the worker {worker.address} has {worker.state.nthreads} threads: start workers "
                "with --nthreads 1, several per machine"
            )
        if fingerprints.environment() != self.environment:
            raise ClusterError(
                f"the worker {worker.address} has other packages than this machine: install the "
                "versions of constraints.txt on both"
            )
        self._stack = ExitStack()
        workers = self._stack.enter_context(
            warm_processes.started(
                self.course, self.assignments, self.settings.min_tier, self.settings.hidden
            )
        )
        tiers = {started.tier for started in workers.values()}
        if tiers != {self.settings.tier}:
            self._stack.close()
            raise ClusterError(
                f"the worker {worker.address} isolates at tier {', '.join(sorted(tiers))}, this "
                f"machine at {self.settings.tier}: grade on machines of the same tier"
            )
        judge_process.limit_memory()
        settings = self.settings
        judge_process.use(self.course, workers, settings.hidden, settings.proven)

    def teardown(self, worker: Worker) -> None:
        self._stack.close()


LOCAL = "dask"  # workers on this machine, started for the run
ADDRESS = "tls://"  # begins that of a scheduler whose workers run already
LOG = "distributed.admin.low-level-log-length"  # messages kept, each with a whole notebook
UNDER_WAY = 3  # submissions a worker: one is graded, the others wait for it


@contextmanager
def judges(ids: set[str], course: Course, settings: Settings) -> Iterator[Judges]:
    """The judges of a cluster, for these assignments, until the block ends.

    Raises ClusterError if there is no cluster at the address, or its workers cannot grade, and
    SuiteError if a suite cannot be read.
    """
    executor = settings.executor
    try:
        import dask
        from distributed import as_completed

    except ModuleNotFoundError:
        raise ClusterError(
            f"--executor {executor} needs the package distributed, which is not installed "
            "here: run `pip install -e .[cluster]`"
        ) from None
    with ExitStack() as stack:
        stack.enter_context(dask.config.set({LOG: UNDER_WAY}))
        client = _connected(executor, settings.jobs, stack)
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise ClusterError(f"{executor}: the cluster has no workers; start some first")
        client.register_plugin(Judge(course, ids, settings), name="course-judge")
        proofread = client.submit(judge_process.proofread, ids, pure=False)
        if isinstance(trouble := proofread.exception(), SuiteError):
            raise trouble

        def ask(work: Callable[..., Any], questions: list[Question]) -> Iterator[Answer]:
            waiting, asked = iter(questions), {}

            def submitted(count: int) -> list:
                new = {client.submit(work, *q, pure=False): q for q in islice(waiting, count)}
                asked.update({future.key: question for future, question in new.items()})
                return list(new)

            under_way = as_completed(submitted(UNDER_WAY * workers))
            for future in under_way:
                answer = None if future.exception() else future.result()
                question = asked.pop(future.key)
                future.release()
                under_way.update(submitted(1))
                yield question, answer

        yield ask


def _connected(executor: str, jobs: int, stack: ExitStack) -> Client:
    """A client of the cluster, until the stack closes."""
    import logging

    from distributed import Client, LocalCluster
    from distributed.security import Security

    security, address = Security(require_encryption=True), executor  # as dask is configured
    if executor == LOCAL:
        security = Security.temporary()
        address = stack.enter_context(
            LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                host="127.0.0.1",
                protocol=ADDRESS,
                security=security,
                dashboard_address=None,
                memory_limit=0,  # the sandbox limits what a submission may use
                silence_logs=logging.CRITICAL,
            )
        )
    if not security.get_connection_args("client")["ssl_context"]:
        raise ClusterError(
            f"{executor}: dask has no certificates: set distributed.comm.tls in its configuration"
        )
    try:
        return stack.enter_context(Client(address, security=security))
    except (OSError, ValueError) as error:
        raise ClusterError(f"{executor}: no scheduler answers there ({error})") from None
