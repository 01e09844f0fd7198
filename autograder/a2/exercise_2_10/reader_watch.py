"""Records every forward pass of `PointerReader`; sent as text and run in the student's process."""

import torch

from course_lib.analysis.pointer_reader import PointerReader

plain_forward = PointerReader.forward
passes, readers = [], []


def recording_forward(self, examples):
    """The original forward pass, which is also recorded in `passes`."""
    answer = plain_forward(self, examples)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        noise = float((answer - plain_forward(self, examples)).abs().max())
        size = sum(float(p.double().abs().sum()) for p in self.parameters())
    number = next((i for i, other in enumerate(readers) if self is other), len(readers))
    readers[number:] = [*readers[number:]] or [self]
    rows = zip(examples.symbols.tolist(), examples.pointers.flatten(1).tolist(), strict=True)
    seen = [f"{symbols}:{pointers}" for symbols, pointers in rows]
    passes.append((number, answer.requires_grad, seen, size, noise))
    return answer


def stop():
    """Restore the original forward method; returns the passes."""
    PointerReader.forward = plain_forward
    return passes


PointerReader.forward = recording_forward
