"""Notes the largest tensor that a call makes; sent as text and run in the student's process."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Largest(TorchDispatchMode):
    """Counts the numbers in the largest tensor of floats that any operation returns."""

    numbers = 0

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        made = function(*arguments, **(options or {}))
        for one in made if isinstance(made, (tuple, list)) else [made]:
            if isinstance(one, torch.Tensor) and one.is_floating_point():
                self.numbers = max(self.numbers, one.numel())
        return made


def largest(call, *arguments):
    """The numbers in the largest tensor that `call(*arguments)` makes."""
    with Largest() as watch:
        call(*arguments)
    return watch.numbers
