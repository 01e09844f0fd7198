"""What a `PointerReader` does, noted on the student's side: sent there as text and run."""

import torch

from course_lib.analysis.pointer_reader import PointerReader

plain_forward = PointerReader.forward
passes, readers = [], []


def noted_forward(self, examples):
    """The reader's own answer; the pass goes into `passes`."""
    answer = plain_forward(self, examples)
    if not any(self is other for other in readers):
        readers.append(self)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        again = plain_forward(self, examples)
        size = sum(float(p.double().abs().sum()) for p in self.parameters())
    noted = {
        "reader": next(i for i, other in enumerate(readers) if self is other),
        "examples": [":".join(bytes(p.tolist()).hex() for p in parts) for parts in _rows(examples)],
        "parameters": size,
        "noise": float((answer.detach() - again).abs().max()),
        "trained": False,
    }
    passes.append(noted)
    if answer.requires_grad:
        answer.register_hook(lambda gradient: noted.__setitem__("trained", True))
    return answer


def _rows(examples):
    return zip(examples.symbols, examples.pointers.flatten(1), strict=True)


def stop():
    """The reader is as it was."""
    PointerReader.forward = plain_forward


PointerReader.forward = noted_forward
