"""A debugging checklist for an encoder-decoder that translates badly, or suspiciously well.

    for line in run(model, source_ids, target_ids, functions):
        print(line)

As in `checklist`, every check runs the model and measures; none reads its code. `student debug`
runs it on a notebook of assignment 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from . import checks, scales, translator_checks
from .checks import Check

VOCABULARY = 20


class _GivenSource(nn.Module):
    """The model with its source filled in, so that it looks like a classifier of its targets."""

    def __init__(self, model: nn.Module, source: Tensor) -> None:
        super().__init__()
        self.model, self.source = model, source

    @property
    def encoder(self) -> Any:
        """The stack that reads the targets."""
        return getattr(self.model, "decoder", None)

    def forward(self, target_ids: Tensor, need_weights: bool = False) -> Any:
        return self.model(self.source, target_ids, need_weights=need_weights)


def of_class(
    build: Callable[..., nn.Module], functions: Mapping[str, Callable[..., Any] | None]
) -> list[dict[str, object]]:
    """Run the checklist on a small untrained model from `build(vocab_size, …)`; as plain data.

    `functions` are those around the model, by their names in assignment 4; None, or absence, for
    one that is not written yet. The norms are checked a second time, with `norm_first=True`.
    """
    source = torch.tensor([[5, 9, 7, 3, 8, 2, 6], [4, 6, 11, 10, 12, 3, 2]])
    target = torch.tensor([[1, 9, 7, 3, 8], [1, 6, 11, 12, 10]])
    small = partial(build, VOCABULARY, n_layers=2, d_model=32, n_heads=4, d_ff=64)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        post, pre = small(), small(norm_first=True)
        found = run(post, source, target, functions)
    with torch.no_grad():
        same = source[:, : target.shape[1]]
        placed = checks.norm_placement(_GivenSource(pre, same).eval(), target, 0)
    return [asdict(check) for check in (*found, checks.norm_first(placed))]


def run(
    model: nn.Module,
    source: Tensor,
    target: Tensor,
    functions: Mapping[str, Callable[..., Any] | None] | None = None,
    pad_id: int = 0,
) -> list[Check]:
    """Run every check on `model`; its mode is restored and its gradients are cleared.

    `source` (batch, n_source) and `target` (batch, n_target) hold different sentences without
    padding, the source longer than the target; a target begins with the start token.
    """
    was_training = model.training
    same = source[:, : target.shape[1]]  # one length, for what two lengths would end
    asked = _GivenSource(model, same)
    try:
        asked.eval()
        with torch.no_grad():
            found = [
                translator_checks.lengths_differ(model, source, target),
                translator_checks.no_look_ahead(model, same, target),
                translator_checks.reads_the_prefix(model, same, target),
                translator_checks.reads_the_source(model, same, target),
            ]
            if found[0].ok:
                found += [
                    translator_checks.source_padding(model, source, target, pad_id),
                    translator_checks.cross_weights(model, source, target),
                ]
            found += [
                scales.score_scale(model),
                scales.embedding_scale(model, target, pad_id),
                scales.sinusoids(model),
                translator_checks.shared_matrix(model),
                checks.dropout_in_evaluation(asked, target),
                checks.dropout_in_training(asked, target),
                checks.norm_placement(asked, target, pad_id),
            ]
            found += _of_functions(model, source, functions or {}, pad_id)
        if step := (functions or {}).get("translation_step"):
            checked = translator_checks.teacher_forcing
            found.append(_tried("translation_step", checked, step, pad_id))
        return found
    finally:
        model.zero_grad()
        model.train(was_training)


def _of_functions(
    model: Any, source: Tensor, functions: Mapping[str, Callable[..., Any] | None], pad_id: int
) -> list[Check]:
    found = []
    if shift := functions.get("shift_targets"):
        found.append(_tried("shift_targets", translator_checks.shifted, shift))
    if loss := functions.get("label_smoothed_loss"):
        of_padding = translator_checks.loss_of_padding
        found.append(_tried("label_smoothed_loss", of_padding, loss, pad_id))
    if make_step := functions.get("uncached_step"):

        def step(model: Any, prefixes: Tensor) -> Tensor:
            memory, mask = model.encode(source)
            state = SimpleNamespace(memory=memory, source_mask=mask)
            return make_step(model)(prefixes, state)[0]

        found.append(_tried("uncached_step", translator_checks.next_token, model, step, source))
    start, cached = functions.get("start_cache"), functions.get("cached_step")
    if start and cached:
        agrees = translator_checks.cache_agrees
        found.append(_tried("cached_step", agrees, model, start, cached, source))
    return found


def _tried(name: str, check: Callable[..., Check], *given: Any) -> Check:
    """The check, or what the function raised: the others still run."""
    try:
        return check(*given)
    except Exception as error:  # the student's own code: it may raise anything
        said = str(error).partition("\n")[0]
        advice = "it cannot be called as its docstring says: the visible checks say more"
        return Check(name, False, f"{type(error).__name__}: {said}", advice)
