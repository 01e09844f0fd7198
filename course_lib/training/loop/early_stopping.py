"""Early stopping: stop when the validation accuracy stops rising, and keep the best weights."""

from typing import Any

import torch
from torch import nn

MEASURE = "validation_accuracy"


class EarlyStopping:
    """Counts evaluations without a new best accuracy; with `patience=None` it does nothing."""

    def __init__(self, patience: int | None) -> None:
        self.patience, self.waited = patience, 0
        self.best, self.weights = float("-inf"), dict[str, torch.Tensor]()

    @property
    def exhausted(self) -> bool:
        """Whether `patience` evaluations in a row brought no new best."""
        return self.patience is not None and self.waited >= self.patience

    def look(self, result: dict[str, float], model: nn.Module) -> None:
        """Record an evaluation. Raises ValueError when it has no validation accuracy."""
        if self.patience is None:
            return
        if MEASURE not in result:
            keys = ", ".join(result) or "nothing"
            raise ValueError(
                f"evaluate(model) returned {keys}, but early stopping needs {MEASURE!r}: return it"
            )
        self.waited += 1
        if result[MEASURE] > self.best:
            self.best, self.waited = result[MEASURE], 0
            self.weights = {n: t.detach().cpu().clone() for n, t in model.state_dict().items()}

    def restore(self, model: nn.Module) -> None:
        """Give the model the weights of the best evaluation, if there was one."""
        if self.weights:
            model.load_state_dict(self.weights)

    def state_dict(self) -> dict[str, Any]:
        return {"best": self.best, "waited": self.waited, "weights": self.weights}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.best, self.waited, self.weights = state["best"], state["waited"], state["weights"]
