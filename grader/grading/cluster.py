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

        from .cluster_judge import Judge
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
