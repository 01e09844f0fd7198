"""The visible checks of lab 1."""

import numpy as np
import torch

from grader.checking.question import question, refusal

TABLE = torch.from_numpy(np.random.RandomState(1).randn(7, 7)).float()  # logits after each token
TOKENS = torch.tensor([[1, 4, 0, 6, 3], [5, 5, 1, 2, 6]])


@question("L1.1", advice="read all but the last token, ask for all but the first", read="§3.1")
def test_every_next_token(its):
    """The mean cross-entropy of every token after the first, with and without smoothing (§5.4)."""
    model = its.make("torch.nn.Embedding.from_pretrained(table)", table=TABLE)
    smooth = its.language_loss(model, TOKENS, label_smoothing=0.2)[0]
    return {"loss": its.language_loss(model, TOKENS)[0], "label_smoothing = 0.2": smooth}


QUERIES = torch.from_numpy(np.random.RandomState(1).randn(2, 3, 4, 6)).float()
JUMPS = torch.tensor([[0, 1, 2, 3], [0, 0, 5, 9]])
ANGLES = "angles of shape (batch, 1, n, d_k / 2): position / 10000^(2i / d_k)"


@question("L1.2", advice=ANGLES, read="Su et al. 2021, section 3.2")
def test_pairs_and_frequencies(its):
    """Position p turns one pair by p; pair i, features i and i + d_k / 2, at a rate of its own."""
    one_pair = its.rotate(torch.tensor([1.0, 0.0]).expand(1, 1, 4, 2), torch.arange(4)[None])
    odd = refusal(lambda: its.rotate(QUERIES[..., :3], JUMPS))
    return {"(cos p, sin p)": one_pair, "three pairs": its.rotate(QUERIES, JUMPS), "odd d_k": odd}


KEYS = torch.arange(48.0).reshape(2, 2, 3, 4)
KEPT = ("keys", "values")


@question(
    "L1.3", advice="join along the positions, and assign to self.keys, values", read="exercise L1.3"
)
def test_extend(its):
    """`extend` returns everything read so far, the new positions last, and keeps it."""
    cache = its.KeysAndValues()
    cache.method("extend", KEYS[:, :, :2], -KEYS[:, :, :2])
    keys, values = cache.method("extend", KEYS[:, :, 2:], -KEYS[:, :, 2:])
    return {"keys": keys, "values": values} | {f"its {n}": cache.get(n) for n in KEPT}


@question("L1.3", advice="choose the same rows of both tensors", read="exercise L1.3")
def test_rows(its):
    """`keep` chooses and orders the rows of both tensors; of an empty cache, it keeps nothing."""
    cache, empty = its.KeysAndValues(), its.KeysAndValues()
    cache.method("extend", KEYS, -KEYS)
    cache.method("keep", torch.tensor([1]))
    empty.method("keep", torch.tensor([0]))
    return {n: cache.get(n) for n in KEPT} | {"keys of an empty cache": empty.get("keys")}


RANDOM = np.random.RandomState(1)
X = torch.from_numpy(RANDOM.randn(2, 5, 8)).float()
STATE = {
    f"w_{letter}.{kind}": torch.from_numpy(RANDOM.randn(*shape)).float() / 3
    for letter in "qkvo"
    for kind, shape in (("weight", (8, 8)), ("bias", (8,)))
}
CAUSAL = torch.ones(5, 5).tril().bool()[None, None]
PLACES = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])


def _layer(its, places=None):
    layer = its.CachedAttention(8, 2, 0.9)
    layer.load_state_dict(STATE)
    layer.eval()
    layer.set("positions", places)
    return layer


@question("L1.4", advice="attend to the keys, turned if there are positions", read="§3.2.2")
def test_plain(its):
    """Without a cache it is multi-head attention; with positions, queries and keys are turned."""
    layer = _layer(its)
    output, weights = layer(X, X, X, CAUSAL, need_weights=True)
    layer.train()
    dropped = (layer(X, X, X, CAUSAL)[0] - output).abs().max() > 0.1
    found = {"weights": weights, "output": output, "dropout changes it": bool(dropped)}
    return found | {"output with positions": _layer(its, PLACES)(X, X, X, CAUSAL)[0]}


@question("L1.4", advice="extend the cache by turned keys, attend to all", read="exercise L1.4")
def test_one_at_a_time(its):
    """Read one by one with a cache, the positions give what they give together."""
    layer, outputs = _layer(its), []
    layer.set("cache", its.KeysAndValues())
    for i in range(5):
        x = X[:, i : i + 1]
        layer.set("positions", PLACES[:, i : i + 1])
        outputs.append(layer(x, x, x, CAUSAL[:, :, i : i + 1, : i + 1])[0])
    return torch.cat(outputs, dim=1)


DROPPED = "torch.nn.Sequential(torch.nn.Embedding.from_pretrained(table), torch.nn.Dropout(0.5))"
TEXT = torch.from_numpy(np.random.RandomState(1).randint(7, size=24))
ONCE = "weight each loss by its number of tokens; model.eval() first, and put the mode back"


@question("L1.5", advice=ONCE, read="§6.2")
def test_every_token_once(its):
    """exp of the mean over all tokens after the first, also those of a last, shorter block."""
    model = its.make(DROPPED, table=TABLE)
    found = {f"{rows} blocks at a time": its.perplexity(model, TEXT, 5, rows) for rows in (64, 2)}
    return found | {"in training mode afterwards, as before": model.get("training")}


LOGITS = (torch.tensor([0.1, 0.4, 0.2, 0.3]).log() + 3.0).expand(4000, 4)  # up to a constant
ADVICE = "draw from sampling_distribution with all three settings; at temperature 0 take the best"


@question("L1.6", atol=0.06, advice=ADVICE, read="exercise L1.6")
def test_shares(its):
    """Each row's token is drawn with its probability, by the given generator."""

    def drawn(temperature=1.0, top_k=None, top_p=None):
        generator = its.make("torch.Generator().manual_seed(1)")
        return its.next_tokens(LOGITS, temperature, top_k, top_p, generator)

    def shares(tokens):
        return [float((tokens == token).float().mean()) for token in range(4)]

    ways = [{"top_k": 2}, {"top_p": 0.5}, *({"temperature": at} for at in (0, 0.4, 3.0))]
    again = bool(torch.equal(drawn(), drawn()))
    found = {"shares": shares(drawn()), "shape": drawn().shape, "a seed repeats them": again}
    return found | {f"shares with {how}": shares(drawn(**how)) for how in ways}


# A model of the library that notes how many positions it reads in each call.
MODEL = (
    "(lambda model: (setattr(model, 'read', []), model.register_forward_hook("
    "lambda _, given, logits: model.read.append(logits.shape[1])), model)[-1])("
    "__import__('importlib').import_module('course_lib.families.language_model').LanguageModel("
    "11, n_layers=2, d_model=8, n_heads=2, d_ff=16, dropout=0.0, positions='rotary'))"
)
PROMPTS = [[5, 9, 4, 6], [8, 7]]
ROWS = "pad on the left, then read, choose and append one token of each text at a time"


def _model(its):
    """The model with weights from here, so large that its choices are clear."""
    model, random = its.make(MODEL), np.random.RandomState(18)
    state = sorted(model.state_dict().items())
    model.load_state_dict({n: torch.from_numpy(random.randn(*w.shape)).float() for n, w in state})
    return model


@question("L1.7", advice=ROWS, read="exercise L1.7")
def test_as_if_read_again(its):
    """Prompts of any length, each continued as it would be alone, up to `end`; none is empty."""
    model, ends = _model(its), (None, *range(1, 11))
    texts = {end: its.generate(model, PROMPTS, 6, temperature=0, end=end) for end in ends}
    alone = [its.generate(model, [prompt], 6, temperature=0)[0] for prompt in PROMPTS]
    empty = refusal(lambda: its.generate(model, [[5], []], 2))
    return {"alone": str(alone), "an empty prompt": empty} | {
        f"texts with end={end}": str(two) for end, two in texts.items()
    }


@question(
    "L1.7", advice="call the model once for each new token, with a cache", read="exercise L1.7"
)
def test_one_token_a_step(its):
    """The first step reads the prompts, each later one the new token alone."""
    model = _model(its)
    its.generate(model, PROMPTS, 4, temperature=0)
    return {"positions read in each step": model.get("read")}
