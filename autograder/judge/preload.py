"""What judge processes of assignments in torch need, imported once where they are forked from."""

import torch

from . import grade  # noqa: F401

torch.set_num_threads(1)  # several judges share the machine, and forks must be free of threads
