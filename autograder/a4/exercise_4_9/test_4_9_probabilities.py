"""Hidden tests of exercise 4.9: one search step without a cache."""

import torch

from autograder.a3.answers import answered, normal
from autograder.a3.encoder_reference import draw
from autograder.a4.answers import MATRIX, write_in
from autograder.a4.decoder_reference import HEADS, decoded, real, transformer_shapes
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.4, last but one sentence; exercise 4.9"
WAY = "decode the prefixes, then take the log-softmax of the last position"
SIZES = (11, 2, 8, HEADS, 12)  # vocab_size, n_layers, d_model, n_heads, d_ff
LENGTHS = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]])
STATE = "student['Encoded'](memory, source_mask)"
RECORDED = "lambda step, prefixes, state: step(prefixes, state)[0].requires_grad"


def build(student, rng):
    """A model with random weights, its step, and the contents of the step's state."""
    module = student.Transformer(*SIZES, norm_first=True)
    state = draw(rng, transformer_shapes(*SIZES[:3], SIZES[4], norm_first=True))
    state[MATRIX][0] = 0.0
    write_in(module, state)
    module.eval()
    step = answered(lambda: student.uncached_step(module), "return a function", READ)
    return step, state, normal(rng, 3, 5, 8), real(LENGTHS)


def ask(step, prefixes, state):
    call = answered(lambda: step(prefixes, state), WAY, READ)
    return expect.parts(call, 2, otherwise="return (log_probabilities, state)", read=READ)


def check(got, prefixes, weights, memory, mask, what):
    def logits(ids=prefixes, mask=mask):
        return decoded(ids, memory, weights, mask, True)[0]

    wanted = logits()[:, -1].log_softmax(-1)
    every = MISTAKE.step_every_position
    expect.shape(
        got,
        tuple(wanted.shape),
        otherwise="(rows, vocab_size)",
        what=what,
        read=READ,
    )

    def causes():
        found = {
            MISTAKE.step_softmax: wanted.exp(),
            MISTAKE.step_logits: logits()[:, -1],
            "in bits: use natural logarithms": wanted / torch.tensor(2.0).log(),
            MISTAKE.step_softmax_over_rows: logits()[:, -1].log_softmax(0),
            MISTAKE.step_reads_last_token_only: logits(prefixes[:, -1:])[:, -1].log_softmax(-1),
            MISTAKE.step_source_mask_dropped: logits(mask=None)[:, -1].log_softmax(-1),
            "the mean over all positions: only the last one predicts the next token": logits()
            .mean(1)
            .log_softmax(-1),
        }
        if prefixes.shape[1] > 1:
            found |= {
                MISTAKE.step_first_position: logits()[:, 0].log_softmax(-1),
                "the second-to-last position: the last one predicts the next token": logits()[
                    :, -2
                ].log_softmax(-1),
            }
        return found

    expect.close(got, wanted, atol=1e-3, otherwise=WAY, read=READ, what=what)


def prefix(rng, rows, n):
    ids = torch.from_numpy(rng.integers(4, SIZES[0], size=(rows, n)))
    ids[:, 0] = 2
    return ids


@exercise("4.9", weight=2)
def test_values(student, rng):
    """Log probabilities of the token after each prefix, (rows, vocab_size), in nats."""
    step, weights, memory, mask = build(student, rng)
    state = student.make(STATE, memory=memory, source_mask=mask)
    for n in (4, 2):
        ids = prefix(rng, 3, n)
        call = answered(lambda ids=ids: student.call(step, ids, state), WAY, READ)
        expect.unchanged(call.changed)
        got, _ = expect.parts(
            call.value, 2, otherwise="return (log_probabilities, state)", read=READ
        )
        check(got, ids, weights, memory, mask, f"log probabilities after {n} tokens")


@exercise("4.9")
def test_rows_sum_to_one(student, rng):
    """The first step reads only the start token; the probabilities of each row sum to 1."""
    step, weights, memory, mask = build(student, rng)
    ids = torch.full((3, 1), 2)
    got, _ = ask(step, ids, student.make(STATE, memory=memory, source_mask=mask))
    check(got, ids, weights, memory, mask, "log probabilities after the start token")
    expect.close(got.exp().sum(-1), torch.ones(3), atol=1e-4, read=READ, what="the sums of rows")


@exercise("4.9")
def test_state(student, rng):
    """Each call uses and returns its state, also after rows are reordered."""
    step, weights, memory, mask = build(student, rng)
    state = student.make(STATE, memory=memory, source_mask=mask)
    ids = prefix(rng, 3, 3)
    _, state = ask(step, ids, state)
    hint = "return the state unchanged: without a cache a step adds nothing to it"
    for rows in (torch.tensor([2, 0, 0, 1]), torch.tensor([3, 1, 1, 0])):
        expect.close(
            answered(lambda state=state: state.get("memory"), hint, READ),
            memory,
            otherwise=hint,
            read=READ,
            what="the memory in the state that was returned",
        )
        state = state.method("reorder", rows)
        memory, mask = memory[rows], mask[rows]
        ids = torch.cat([ids[rows], prefix(rng, 4, 2)[:, 1:]], dim=1)
        got, state = ask(step, ids, state)
        check(got, ids, weights, memory, mask, "log probabilities of reordered rows")


@exercise("4.9", weight=0.5)
def test_no_gradients(student, rng):
    """No gradients are recorded: a search does not train."""
    step, _, memory, mask = build(student, rng)
    state = student.make(STATE, memory=memory, source_mask=mask)
    recorded = answered(lambda: student.make(RECORDED)(step, prefix(rng, 3, 3), state), WAY, READ)
    expect.true(
        not recorded,
        expected="log probabilities without a graph",
        got="log probabilities with `requires_grad=True`",
        read=READ,
    )
