"""The visible checks of exercise 4.5: the Transformer."""

import numpy as np
import torch

from grader.checking.question import question

SOURCE, TARGET = torch.tensor([[5, 3, 4], [6, 0, 0]]), torch.tensor([[2, 6, 4], [2, 3, 0]])
WAY = "encode the source, decode the targets with both masks, then compute logits"


def made(its, **options):
    """A small model with given weights, in evaluation mode."""
    model = its.Transformer(7, n_layers=1, d_model=4, n_heads=2, d_ff=6, **options)
    drawn, parts = np.random.RandomState(0), sorted(model.state_dict().items())
    state = {name: torch.from_numpy(drawn.randn(*part.shape)).float() for name, part in parts}
    model.load_state_dict(state)
    model.eval()
    return model


@question("4.5", weight=2, advice="the output projection has no parameters", read="§3.4")
def test_one_matrix(its):
    """Source, target and output share one embedding matrix."""
    model = made(its)
    names = sorted(model.parameters())
    state = model.state_dict()
    of_words = [name for name in names if state[name].shape[0] == 7]
    gradients = its.vjp(model, SOURCE, TARGET, parameters=True).parameters
    return {
        "the number of parameters with a row for every word": len(of_words),
        "the parts with other parameters": sorted(
            {name.partition(".")[0] for name in names if name not in of_words}
        ),
        "logits(x)": model.method("logits", torch.linspace(-1, 1, 8).reshape(2, 4)),
        "gradients of words 1, in no sentence, and 5, in a source": gradients[of_words[0]][[1, 5]],
    }


@question("4.5", weight=4, advice=f"{WAY}; pass all options on", read="§3.1, §3.2.3")
def test_what_scores_depend_on(its):
    """Logits depend on every source token, but not on later targets or on padding."""
    model = made(its)
    (memory, mask), (logits, weights) = model.method("encode", SOURCE), model(SOURCE, TARGET)
    source, target = torch.tensor([[5, 0, 1]]), torch.tensor([[2, 1, 0, 6]])
    near, _ = made(its, position_scale=0.5).method("encode", SOURCE)
    return {
        "the encoder's output (not a pair), of the first sentence": memory[0],
        "with position_scale=0.5": near[0],
        "source_mask": mask,
        "logits of the first sentence": logits[0],
        "the second's": logits[1, :2],
        "weights, not asked for": weights,
        "the layer's weights": model(SOURCE[:1], TARGET[:1], need_weights=True)[1],
        "after a change at position 2": model(SOURCE, torch.tensor([[2, 6, 3]] * 2))[0][0, :2],
        "the second sentence without padding": model(SOURCE[1:, :1], TARGET[1:, :2])[0],
        "with pad_id=1": made(its, pad_id=1)(source, target)[0][:, [0, 2, 3]],
    }
