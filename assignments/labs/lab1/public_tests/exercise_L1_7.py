"""The visible checks of exercise L1.7: write."""

import numpy as np
import torch

from grader.checking.question import question, refusal

# A model of the library that notes how many positions it reads in each call.
MODEL = (
    "(lambda model: (setattr(model, 'read', []), model.register_forward_hook("
    "lambda _, given, logits: model.read.append(logits.shape[1])), model)[-1])("
    "__import__('importlib').import_module('course_lib.families.language_model').LanguageModel("
    "11, n_layers=2, d_model=8, n_heads=2, d_ff=16, dropout=0.0, positions='rotary'))"
)
PROMPTS = [[5, 9, 4, 6], [8, 7]]
READ = "exercise L1.7"
ROWS = "pad on the left, then read, choose and append one token of each text at a time"


def _made(its):
    """The model with weights from here, so large that its choices are clear."""
    model, random = its.make(MODEL), np.random.RandomState(18)
    state = sorted(model.state_dict().items())
    model.load_state_dict({n: torch.from_numpy(random.randn(*w.shape)).float() for n, w in state})
    return model


@question("L1.7", advice=ROWS, read=READ)
def test_as_if_read_again(its):
    """Prompts of any length, each continued as it would be alone, up to `end`; none is empty."""
    model, ends = _made(its), (None, *range(1, 11))
    texts = {end: its.generate(model, PROMPTS, 6, temperature=0, end=end) for end in ends}
    alone = [its.generate(model, [prompt], 6, temperature=0)[0] for prompt in PROMPTS]
    empty = refusal(lambda: its.generate(model, [[5], []], 2))
    return {"alone": str(alone), "an empty prompt": empty} | {
        f"texts with end={end}": str(two) for end, two in texts.items()
    }


@question("L1.7", advice="call the model once for each new token, with a cache", read=READ)
def test_one_token_a_step(its):
    """The first step reads the prompts, each later one the new token alone."""
    model = _made(its)
    its.generate(model, PROMPTS, 4, temperature=0)
    return {"positions read in each step": model.get("read")}
