"""Checkpoint averaging: the mean of the last checkpoints, which the paper decodes with.

Paper statement R61 (lectures/paper_audit.md).
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor


def averaged(states: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of every tensor over several state dicts of one model (§6.1).

    The state dicts are not modified, and the mean shares no memory with them, so further training
    does not change it. Raises ValueError when there is no state, or when their names differ.
    """
    if not states:
        raise ValueError("there is no checkpoint to average: give at least one state dict")
    if differing := [s for s in states if s.keys() != states[0].keys()]:
        names = sorted(differing[0].keys() ^ states[0].keys())
        raise ValueError(f"only some states have {', '.join(names[:3])}: give those of one model")
    # §6.1 — "a single model obtained by averaging the last 5 checkpoints"
    return {
        name: torch.stack([state[name].detach() for state in states]).mean(dim=0)
        for name in states[0]
    }
