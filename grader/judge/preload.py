"""Imported once by the fork server, for judge processes of assignments that use torch."""

import gc
import os

from ..sandbox.prewarm import NVIDIA_DRIVER


def _import_all() -> None:
    import torch
    import torch.fx.experimental.symbolic_shapes  # the first `torch.autograd.grad` needs it

    from . import grade  # noqa: F401

    if not os.path.exists(NVIDIA_DRIVER):
        _ = torch.zeros(1, device="meta") == 0  # imports 300 modules, as right forms do there
    torch.set_num_threads(1)  # several judges share the machine, and a fork must not have threads


gc.disable()  # a quarter of the time of large imports goes into looking for garbage
_import_all()
gc.freeze()  # what is imported stays: judges neither look through it nor copy its pages
gc.enable()
