"""Imported once by the fork server, for judge processes of assignments that use torch."""

import torch

from . import grade  # noqa: F401

torch.set_num_threads(1)  # several judges share the machine, and a fork must not have threads
