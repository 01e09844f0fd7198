"""What every judge process needs, imported once in the process they are forked from."""

import torch

from . import grade  # noqa: F401

torch.set_num_threads(1)  # several judges share the machine, and forks must be free of threads
