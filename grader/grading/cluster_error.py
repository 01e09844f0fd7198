"""The error of a cluster that cannot grade."""

from ..course.problem import Problem


class ClusterError(Problem):
    """The cluster cannot be used; says why and what to do."""
