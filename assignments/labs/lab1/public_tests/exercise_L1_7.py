"""The visible checks of exercise L1.7: write."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# A model of the library that counts the positions of which it was asked for logits.
MODEL = (
    "(lambda model: (setattr(model, 'read', []), model.register_forward_hook("
    "lambda _, given, logits: model.read.append(logits.shape[1])), model)[-1])("
    "__import__('importlib').import_module('course_lib.families.language_model').LanguageModel("
    "11, n_layers=2, d_model=8, n_heads=2, d_ff=16, dropout=0.0, positions='rotary'))"
)
PROMPTS = [[5, 9, 4, 6], [8, 7]]


def made(student):
    """The model with weights from here, so large that its choices are clear."""
    model, generator = student.make(MODEL), torch.Generator().manual_seed(2)
    state = {
        name: torch.randn(value.shape, generator=generator)
        for name, value in sorted(model.state_dict().items())
    }
    model.load_state_dict(state)
    model.eval()
    return model


def read_again(model, prompt, n, end=None):
    """What follows a prompt if the whole text is read again for every token."""
    text = list(prompt)
    for _ in range(n):
        token = int(model(torch.tensor([text]))[0, -1].argmax())
        if token == end:
            break
        text.append(token)
    return text[len(prompt):]


def written(student, model, prompts, n, **how):
    with expect.raising(otherwise="every text keeps its own row, in tokens and in the cache",
                        read="exercise L1.7"):
        return student.generate(model, prompts, n, temperature=0, **how)


@exercise("L1.7", weight=2)
def test_as_if_read_again(student):
    """Prompts of different lengths, each continued as it would be alone, without a cache."""
    model = made(student)
    want = [read_again(model, prompt, 6) for prompt in PROMPTS]
    n = max(map(len, PROMPTS))
    padded = [prompt + [0] * (n - len(prompt)) for prompt in PROMPTS]
    expect.equal(
        written(student, model, PROMPTS, 6), want, what="what follows the prompts",
        otherwise="pad on the left, then read, choose and append one token of each text at a time",
        read="exercise L1.7")


@exercise("L1.7")
def test_one_token_a_step(student):
    """The first step reads the prompts, each later one the new token alone."""
    model = made(student)
    written(student, model, PROMPTS, 4)
    expect.equal(
        list(model.get("read")), [4, 1, 1, 1], what="positions read in each step",
        otherwise="call the model once for each new token, with the same cache",
        read="exercise L1.7")


@exercise("L1.7", weight=2)
def test_end(student):
    """A text stops before `end`, the others go on."""
    model = made(student)
    alone = [read_again(model, prompt, 6) for prompt in PROMPTS]
    for end in sorted({*alone[0], *alone[1]}):
        want = [read_again(model, prompt, 6, end) for prompt in PROMPTS]
        expect.equal(
            written(student, model, PROMPTS, 6, end=end), want, what=f"texts with end={end}",
            otherwise="drop the row of a text that is done, from the tokens and from the cache",
            read="exercise L1.7")


@exercise("L1.7", beside=["test_as_if_read_again"])
def test_empty_prompt(student):
    """Without a token to read there is nothing to go on."""
    model = made(student)
    expect.raises(lambda: student.generate(model, [[5], []], 2), read="exercise L1.7",
                  otherwise="raise a ValueError for an empty prompt")
