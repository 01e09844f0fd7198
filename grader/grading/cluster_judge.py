"""Makes a Dask worker a judge: starts its warm processes, and ends them with it."""

from contextlib import ExitStack

from distributed import Worker, WorkerPlugin

from grader.course.course import Course

from . import fingerprints, judge_process, warm_processes
from .judge_pool import ClusterError, Settings


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
