"""The visible checks of exercise 4.9: from vectors to probabilities."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


# A decoder with one table: logits of the next token, plus the memory.
DECODER = ("type('Model', (torch.nn.Embedding,), {'decode': lambda self, target_ids, memory, "
           "source_mask, need_weights=False: (self(target_ids) + memory, None)}"
           ").from_pretrained(table)")
TABLE, MEMORY = 2 * draw(1, 6, 6), draw(2, 2, 1, 6)
PREFIXES = torch.tensor([[2, 4, 5], [2, 5, 1]])


def stepped(student):
    model = student.make(DECODER, table=TABLE)
    state = student.make("student['Encoded'](memory, mask)", memory=MEMORY,
                         mask=torch.ones(2, 1, 1, 1).bool())
    return expect.parts(student.uncached_step(model)(PREFIXES, state), 2, read="exercise 4.9",
                        otherwise="return (log probabilities, state)")


@exercise("4.9", weight=2)
def test_next_token(student):
    """Log probabilities of the token that follows each prefix."""
    got, _ = stepped(student)
    logits = TABLE[PREFIXES] + MEMORY
    expect.close(
        got, logits[:, -1].log_softmax(-1), atol=1e-5,
        otherwise="decode the prefixes with the state's memory, and use the last position",
        read="§3.4")
    expect.close(got.exp().sum(-1), torch.ones(2), atol=1e-5, what="sums of the probabilities",
                 read="§3.4")


@exercise("4.9")
def test_state_is_kept(student):
    """The state is returned unchanged for the next step."""
    _, state = stepped(student)
    expect.true(hasattr(state, "type_name"), expected="the state", got=repr(state)[:60],
                otherwise="return it with the log probabilities", read="exercise 4.9")
    expect.close(state.get("memory"), MEMORY, what="the state's memory", read="exercise 4.9",
                 otherwise="return the encoder's output unchanged")


@exercise("4.9")
def test_nothing_is_recorded(student):
    """No gradients are recorded, although the model's parameters require them."""
    recorded = student.make("lambda step, *given: step(*given)[0].requires_grad")
    model = student.make(DECODER, table=student.make("torch.nn.Parameter(table)", table=TABLE))
    state = student.make("student['Encoded'](memory, mask)", memory=MEMORY,
                         mask=torch.ones(2, 1, 1, 1).bool())
    expect.equal(recorded(student.uncached_step(model), PREFIXES, state), False,
                 what="log_probabilities.requires_grad", read="exercise 4.9",
                 )
