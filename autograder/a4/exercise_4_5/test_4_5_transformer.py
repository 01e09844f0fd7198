"""Hidden tests of exercise 4.5: encoder, decoder and one shared embedding matrix."""

import functools
import math

import torch
from torch.nn.functional import linear

from autograder.a3.answers import answered, named_parts, normal
from autograder.a3.encoder_reference import draw, embedded, encoder, under
from autograder.a4.answers import MATRIX, unmoved, write_in
from autograder.a4.decoder_reference import (
    HEADS,
    causal,
    decoded,
    decoder,
    encoded,
    real,
    transformer_shapes,
    translated,
)
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.checking.shown import describe

MISTAKE = known_mistakes(__file__)

READ = "§3.1, Figure 1; §3.4"
DOCSTRING = "the docstring of 4.5"
VOCAB, LAYERS, D_MODEL, D_FF = 11, 2, 8, 12
SOURCE = torch.tensor([[5, 3, 8, 2, 7], [4, 9, 1, 0, 0], [6, 0, 0, 0, 0]])
TARGET = torch.tensor([[2, 6, 10, 4], [2, 7, 5, 0], [2, 9, 0, 0]])
WAY = "encode the source, decode the targets with both masks, then compute logits"
TIED = (
    "source, target and output share one matrix, `embedding.tokens`: nothing else has a row "
    "for every word"
)
OWN_LINEAR = MISTAKE.transformer_untied_output
OWN_EMBEDDING = MISTAKE.transformer_embedding_not_shared
TRANSPOSED = "x @ Wᵀ, with W the matrix of the embedding, (vocab_size, d_model): transpose it"


def build(student, rng, norm_first=False, vocab_size=VOCAB, **options):
    """The student's model in evaluation mode, and its random weights.

    A second name for the same parameter, such as that of a tied linear layer, is allowed.
    """
    module = student.Transformer(
        vocab_size, LAYERS, D_MODEL, HEADS, D_FF, norm_first=norm_first, **options
    )
    shapes = transformer_shapes(vocab_size, LAYERS, D_MODEL, D_FF, norm_first)
    found, own = module.state_dict(), module.parameters()
    more = {name: value for name, value in found.items() if name not in shapes}
    if (
        len(own) != len(shapes)
        or {n: tuple(found[n].shape) for n in set(found) - set(more)} != shapes
    ):
        wordy = [name for name in own if vocab_size in found[name].shape]
        if vocab_size != D_MODEL and len(wordy) > 1:
            kinds = [module.get(name.rpartition(".")[0]).bases() for name in wordy]
            linear_too = any("Linear" in base for bases in kinds for base in bases)
            raise expect.Failure(
                f"one matrix with a row for every word, `{MATRIX}`",
                ", ".join(wordy),
                OWN_LINEAR if linear_too else OWN_EMBEDDING,
                "§3.4",
                True,
            )
        parts = "the parts `embedding`, `encoder` and `decoder`, and no others"
        named_parts(module, shapes, parts, DOCSTRING)
    state = draw(rng, shapes)
    state[MATRIX][options.get("pad_id", 0)] = 0.0
    write_in(module, state)
    module.eval()
    return module, state


def ask(call, otherwise=WAY):
    return expect.parts(
        answered(call, otherwise, READ), 2, otherwise="return two values", read=DOCSTRING
    )


def mistakes(source, target, state, norm_first, pad_id, scale):
    """The logits that likely mistakes would give."""
    made = functools.partial(
        translated, source, target, state, norm_first, pad_id=pad_id, scale=scale
    )
    wanted, matrix = made()[0], state[MATRIX]
    direct = embedded(source, matrix, scale)
    causes = {
        "the logits are multiplied by √d_model: scale only the input embeddings": wanted
        * math.sqrt(D_MODEL),
        "the logits are divided by √d_model": wanted / math.sqrt(D_MODEL),
        MISTAKE.transformer_causal_mask_missing: made(target_mask="padding")[0],
        "the targets are not masked": made(target_mask="none")[0],
        MISTAKE.transformer_source_mask_lost: (made(looked_over_masked=False)[0]),
        MISTAKE.transformer_source_padding_read: (made(read_masked=False)[0]),
        "the padding of the source is attended to": made(
            read_masked=False, looked_over_masked=False
        )[0],
        MISTAKE.transformer_decoder_reads_embeddings: decoded(
            target, direct, state, real(source, pad_id), norm_first, pad_id, scale
        )[0],
        MISTAKE.generate_probabilities: wanted.softmax(-1),
        "log probabilities: return logits, without a softmax": wanted.log_softmax(-1),
        "`norm_first` is passed on to neither encoder nor decoder": translated(
            source, target, state, False, pad_id, scale
        )[0],
    }
    if pad_id:
        causes["pad_id is not passed on: the padding id is not always 0"] = translated(
            source, target, state, norm_first, 0, scale
        )[0]
        other = encoded(source, state, norm_first, pad_id, scale)
        causes[MISTAKE.transformer_pad_id_ignored] = linear(
            decoder(
                embedded(target, matrix, scale),
                other,
                under(state, "decoder."),
                causal(target.shape[1]) & real(target, 0),
                real(source, pad_id),
                norm_first,
            )[0],
            matrix,
        )
    if scale != 1:
        causes[MISTAKE.transformer_position_scale_dropped] = translated(
            source, target, state, norm_first, pad_id, 1.0
        )[0]
    return causes


def compare(
    module, state, source=SOURCE, target=TARGET, norm_first=False, pad_id=0, scale=1.0, what=""
):
    """Compare logits and weights; values at the targets' padding do not matter."""
    logits, weights = ask(lambda: module(source, target, need_weights=True), TRANSPOSED)
    wanted, maps = translated(source, target, state, norm_first, pad_id, scale)
    own = target != pad_id
    if torch.is_tensor(logits):
        expect.shape(logits, tuple(wanted.shape), what="the logits", otherwise=WAY, read=READ)
        logits = logits[own]
    expect.close(
        logits,
        wanted[own],
        atol=1e-3,
        rtol=1e-4,
        otherwise=WAY,
        read=READ,
        what=f"the logits at real targets{what} with norm_first={norm_first}",
    )
    expect.true(
        isinstance(weights, (list, tuple)) and len(weights) == len(maps),
        expected=f"the weights to the source of {len(maps)} layers",
        got=describe(weights),
        otherwise="return the decoder's weights",
        read=DOCSTRING,
    )
    for number, (got, want) in enumerate(zip(weights, maps, strict=True)):
        what = f"the weights of layer {number}"
        expect.shape(got, tuple(want.shape), what=what, read=DOCSTRING)
        got, want = (value.transpose(1, 2)[own] for value in (got, want))
        expect.close(got, want, atol=1e-3, what=f"{what} at real targets", read=DOCSTRING)


@exercise("4.5", weight=2)
def test_logits(student, rng):
    """Encoder, decoder, logits of every token, with padding in both; post-norm and pre-norm."""
    for norm_first in (False, True):
        module, state = build(student, rng, norm_first)
        compare(module, state, norm_first=norm_first)
    call = answered(lambda: student.call(module, SOURCE, TARGET), WAY, READ)
    expect.unchanged(call.changed)


@exercise("4.5", weight=2)
def test_one_matrix(student, rng):
    """Input and output words share one matrix, whose gradient sums both uses."""
    module, state = build(student, rng)
    cotangent = normal(rng, 3, 4, VOCAB)
    answered(lambda: module(SOURCE, TARGET), TRANSPOSED, READ)
    got = student.vjp(module, SOURCE, TARGET, cotangent=cotangent, parameters=True).parameters
    leaf = state[MATRIX].clone().requires_grad_()

    def gradient(come_in, go_out):
        memory, _ = encoder(
            embedded(SOURCE, come_in), under(state, "encoder."), HEADS, real(SOURCE), False
        )
        x, _ = decoder(
            embedded(TARGET, come_in),
            memory,
            under(state, "decoder."),
            causal(4) & real(TARGET),
            real(SOURCE),
        )
        return torch.autograd.grad(linear(x, go_out), leaf, cotangent)[0][1:]

    fixed = state[MATRIX]
    found = got.get(MATRIX)
    if found is None:  # a tied layer's name may come first
        found = next((v for v in got.values() if v is not None and v.shape == leaf.shape), None)
    expect.close(
        torch.zeros(VOCAB - 1, D_MODEL) if found is None else found[1:],  # row 0 is the padding
        gradient(leaf, leaf),
        atol=1e-3,
        rtol=1e-3,
        otherwise=TIED,
        read="§3.4",
        what=f"the gradient of `{MATRIX}`, without the padding's row",
    )


@exercise("4.5")
def test_generate(student, rng):
    """`logits` multiplies x by the transposed embedding matrix, for any leading shape."""
    for vocab_size in (D_MODEL, VOCAB):
        module, state = build(student, rng, vocab_size=vocab_size)
        matrix = state[MATRIX]
        for shape in ((2, 3), (4,), ()):
            x = normal(rng, *shape, D_MODEL)
            wanted = x @ matrix.T
            causes = {
                MISTAKE.generate_scaled: wanted * math.sqrt(D_MODEL),
                "divided by √d_model": wanted / math.sqrt(D_MODEL),
                "probabilities, not logits": wanted.softmax(-1),
                "log probabilities, not logits": wanted.log_softmax(-1),
            }
            if vocab_size == D_MODEL:
                causes[MISTAKE.generate_not_transposed] = x @ matrix
            expect.close(
                answered(lambda m=module, x=x: m.method("logits", x), TRANSPOSED, READ),
                wanted,
                atol=1e-4,
                otherwise=TRANSPOSED,
                read="§3.4",
                what=f"logits(x) for x of shape {tuple(x.shape)}",
            )


@exercise("4.5")
def test_encode_and_decode(student, rng):
    """`encode` returns the memory and the source mask, which `decode` takes."""
    module, state = build(student, rng, norm_first=True)
    memory, mask = ask(lambda: module.method("encode", SOURCE), "return (memory, source_mask)")
    expect.close(
        mask,
        real(SOURCE),
        otherwise="the second value is the padding mask of the source, (batch, 1, 1, n_source)",
        read=DOCSTRING,
        what="the source mask",
    )
    wanted = encoded(SOURCE, state, True)
    expect.shape(memory, tuple(wanted.shape), what="the memory", otherwise=WAY, read=DOCSTRING)
    own = SOURCE != 0
    expect.close(
        memory[own],
        wanted[own],
        atol=1e-3,
        otherwise="the encoder's output for the source's embeddings",
        read=DOCSTRING,
        what="the memory at real tokens",
    )
    other, other_mask = normal(rng, 3, 6, D_MODEL), real(torch.tensor([[1] * 6] * 3).tril(3))
    logits, weights = ask(lambda: module.method("decode", TARGET, other, other_mask))
    expect.true(
        weights is None,
        expected="(logits, None) without need_weights",
        got=type(weights).__name__,
        otherwise="pass `need_weights` on to the decoder",
        read=DOCSTRING,
    )
    made = decoded(TARGET, other, state, other_mask, True)[0]
    expect.shape(logits, tuple(made.shape), what="the logits", otherwise=WAY, read=DOCSTRING)
    own = TARGET != 0
    expect.close(
        logits[own],
        made[own],
        atol=1e-3,
        otherwise="use the memory and the mask that `decode` is given",
        read=DOCSTRING,
        what="the logits of decode(target_ids, memory, source_mask) at real targets",
    )


@exercise("4.5")
def test_later_targets_change_nothing(student, rng):
    """Changing target j does not change the logits before j."""
    module, _ = build(student, rng)
    ids = torch.from_numpy(rng.integers(1, VOCAB, size=(3, 6)))
    before, _ = ask(lambda: module(SOURCE, ids), TRANSPOSED)
    expect.shape(before, (3, 6, VOCAB), what="the logits", otherwise=WAY, read=READ)
    for j in (1, 3, 5):
        later = ids.clone()
        later[:, j] = 1 + later[:, j] % (VOCAB - 1)
        after, _ = ask(lambda later=later: module(SOURCE, later), TRANSPOSED)
        unmoved(
            after[:, :j],
            before[:, :j],
            1e-3,
            read="§3.2.3",
            what=f"the logits before target {j}, after target {j} has changed",
        )


@exercise("4.5")
def test_more_padding_changes_nothing(student, rng):
    """Extra padding does not change a pair's logits, whatever pad_id is."""
    for pad_id in (0, 3):
        source, target = (
            torch.where(ids == 0, pad_id, torch.where(ids == pad_id, 9, ids))
            for ids in (SOURCE, TARGET)
        )
        source[0, 1] = target[0, 1] = 0 if pad_id else 3  # an ordinary word
        module, state = build(student, rng, pad_id=pad_id)
        for more in (0, 3):
            fill = torch.full((3, more), pad_id)
            wider = [torch.cat([ids, fill], dim=1) for ids in (source, target)]
            compare(module, state, *wider, pad_id=pad_id, what=f" with pad_id = {pad_id}")


@exercise("4.5")
def test_position_scale(student, rng):
    """`position_scale` reaches the embedding."""
    module, state = build(student, rng, position_scale=0.25)
    compare(module, state, scale=0.25, what=" with position_scale = 0.25")


@exercise("4.5")
def test_dropout(student, rng):
    """The dropout rate reaches embedding, encoder and decoder."""
    module, state = build(student, rng, True, dropout=1.0)
    compare(module, state, norm_first=True)
    module.train()
    memory, _ = ask(lambda: module.method("encode", SOURCE))
    read = "the signature of 4.5; §5.4"
    expect.close(
        memory,
        state["encoder.norm.bias"].expand(3, 5, -1),
        atol=1e-4,
        otherwise="with a rate of 1 only the last norm's bias remains: pass `dropout` on to "
        "the embedding and to the encoder",
        read=read,
        what="the pre-norm memory in training mode, dropout = 1",
    )
    expect.close(
        ask(lambda: module(SOURCE, TARGET))[0],
        linear(state["decoder.norm.bias"], state[MATRIX]).expand(3, 4, -1),
        atol=1e-4,
        otherwise="pass `dropout` on to the decoder",
        read=read,
        what="the pre-norm logits in training mode, dropout = 1",
    )
