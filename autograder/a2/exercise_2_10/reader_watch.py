"""Records every forward pass of `PointerReader`; sent as text and run in the student's process."""

import torch

from course_lib.analysis.pointer_reader import PointerReader

plain_forward = PointerReader.forward
passes, readers = [], []


def recording_forward(self, examples):
    """The original forward pass, which is also recorded in `passes`."""
    answer = plain_forward(self, examples)
    if not any(self is other for other in readers):
        readers.append(self)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        again = plain_forward(self, examples)
        size = sum(float(p.double().abs().sum()) for p in self.parameters())
    record = {
        "reader": next(i for i, other in enumerate(readers) if self is other),
        "examples": [":".join(bytes(p.tolist()).hex() for p in parts) for parts in _rows(examples)],
        "parameters": size,
        "noise": float((answer.detach() - again).abs().max()),
        "trained": False,
    }
    passes.append(record)
    if answer.requires_grad:
        answer.register_hook(lambda gradient: record.__setitem__("trained", True))
    return answer


def _rows(examples):
    return zip(examples.symbols, examples.pointers.flatten(1), strict=True)


def stop():
    """Restore the original forward method."""
    PointerReader.forward = plain_forward


PointerReader.forward = recording_forward
