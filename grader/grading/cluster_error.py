"""The error of a cluster that cannot grade."""


class ClusterError(Exception):
    """The cluster cannot be used; says why and what to do."""
