"""Stop when the validation accuracy no longer rises, and keep the weights of its best moment."""

from typing import Any

import torch
from torch import nn

MEASURE = "validation_accuracy"


class EarlyStopping:
    """Counts evaluations without a new best; with `patience=None` it does nothing."""

    def __init__(self, patience: int | None) -> None:
        self.patience, self.waited = patience, 0
        self.best, self.weights = float("-inf"), dict[str, torch.Tensor]()

    @property
    def exhausted(self) -> bool:
        """Whether `patience` evaluations in a row brought no new best."""
        return self.patience is not None and self.waited >= self.patience

    def look(self, result: dict[str, float], model: nn.Module) -> None:
        """Take in an evaluation. Raises ValueError when it does not tell the accuracy."""
        if self.patience is None:
            return
        if MEASURE not in result:
            told = ", ".join(result) or "nothing"
            raise ValueError(
                f"early stopping needs {MEASURE!r} of evaluate(model), which told {told}"
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
