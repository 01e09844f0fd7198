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
    drawn = {name: torch.from_numpy(random.randn(*one.shape)).float() for name, one in state}
    model.load_state_dict(drawn)
    model.eval()
    return model


@question("L1.7", weight=2, advice=ROWS, read=READ)
def test_as_if_read_again(its):
    """Prompts of different lengths, each continued as it would be alone, without a cache."""
    model = _made(its)
    together = its.generate(model, PROMPTS, 6, temperature=0)
    alone = [its.generate(model, [prompt], 6, temperature=0)[0] for prompt in PROMPTS]
    return {"what follows": str(together), "what follows each alone": str(alone)}


@question("L1.7", advice="call the model once for each new token, with a cache", read=READ)
def test_one_token_a_step(its):
    """The first step reads the prompts, each later one the new token alone."""
    model = _made(its)
    its.generate(model, PROMPTS, 4, temperature=0)
    return {"positions read in each step": model.get("read")}


@question("L1.7", weight=2, advice="drop the row of a text that is done, everywhere", read=READ)
def test_end(its):
    """A text stops before `end`, the others go on."""
    model, ends = _made(its), range(1, 11)
    texts = {end: its.generate(model, PROMPTS, 6, temperature=0, end=end) for end in ends}
    return {f"texts with end={end}": str(two) for end, two in texts.items()}


@question("L1.7", beside=["test_as_if_read_again"], advice="raise a ValueError", read=READ)
def test_empty_prompt(its):
    """Without a token to read there is nothing to go on."""
    return refusal(lambda: its.generate(_made(its), [[5], []], 2))
