"""The visible checks of lab 3."""

import numpy as np
import torch

from grader.checking.question import question, refusal

NAMES = [
    "embeddings.position_ids",
    "embeddings.word_embeddings.weight",
    "embeddings.position_embeddings.weight",
    "embeddings.token_type_embeddings.weight",
    "embeddings.LayerNorm.weight",
    "encoder.layer.0.attention.self.query.weight",
    "encoder.layer.0.attention.self.key.bias",
    "encoder.layer.1.attention.self.value.weight",
    "encoder.layer.1.attention.output.dense.weight",
    "encoder.layer.1.attention.output.LayerNorm.bias",
    "encoder.layer.11.intermediate.dense.weight",
    "encoder.layer.11.output.dense.bias",
    "encoder.layer.11.output.LayerNorm.weight",
    "pooler.dense.weight",
]


@question("L3.1", advice="compare with the names in your table", read="exercise L3.1")
def test_own_names(its):
    """Every weight of the encoder gets our name, and what has no place there None."""
    return {name: its.own_name(name) for name in NAMES}


WIDTH, HIDDEN, WORDS = 4, 6, 9
CONFIG = {
    "vocab_size": WORDS,
    "num_hidden_layers": 2,
    "hidden_size": WIDTH,
    "num_attention_heads": 2,
    "intermediate_size": HIDDEN,
    "hidden_dropout_prob": 0.25,
    "max_position_embeddings": 5,
    "type_vocab_size": 2,
    "layer_norm_eps": 0.5,  # so large that it shows
}
LAYER = {
    "attention.self.query": (WIDTH, WIDTH),
    "attention.self.key": (WIDTH, WIDTH),
    "attention.self.value": (WIDTH, WIDTH),
    "attention.output.dense": (WIDTH, WIDTH),
    "attention.output.LayerNorm": (WIDTH,),
    "intermediate.dense": (HIDDEN, WIDTH),
    "output.dense": (WIDTH, HIDDEN),
    "output.LayerNorm": (WIDTH,),
}
IDS = torch.tensor([[5, 6, 7, 8], [5, 8, 6, 0]])


def _weights():
    """A published model with random weights."""
    shapes = {
        "embeddings.word_embeddings.weight": (WORDS, WIDTH),
        "embeddings.position_embeddings.weight": (5, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
        "pooler.dense.weight": (WIDTH, WIDTH),
    }
    for number in range(2):
        for part, shape in LAYER.items():
            shapes[f"encoder.layer.{number}.{part}.weight"] = shape
            shapes[f"encoder.layer.{number}.{part}.bias"] = shape[:1]
    random = np.random.RandomState(2)
    drawn = {name: torch.from_numpy(random.randn(*s)).float() for name, s in shapes.items()}
    return {**drawn, "embeddings.position_ids": torch.arange(5)[None]}


@question("L3.2", advice="sizes from config, weights by own_name, eps", read="exercise L3.2")
def test_encoder(its):
    """The encoder computes with the published weights, sizes and epsilon."""
    encoder = its.encoder_from(CONFIG, _weights())
    dropout = encoder.get("dropout.p")
    encoder.eval()
    x = encoder(IDS)[0]
    return {"vectors": x[0], "vectors beside padding": x[1, :3], "dropout": dropout}


ENCODER = (
    "__import__('importlib').import_module('course_lib.families.masked_language_model').BertEncoder("
    "12, n_layers={}, d_model={}, n_heads=2, d_ff=16, dropout=0.0, n_segments=0, pad_id={})"
)
TEXTS = torch.tensor([[4, 8, 9, 5], [4, 11, 5, 3], [4, 0, 5, 3]])


def _draw(module, seed):
    random, state = np.random.RandomState(seed), sorted(module.state_dict().items())
    module.load_state_dict({n: torch.from_numpy(random.randn(*w.shape)).float() for n, w in state})


@question("L3.3", advice="masked_mean, then F.normalize(…, dim=-1)", read="exercise L3.3")
def test_vectors(its):
    """A text's vector is the mean over its real tokens, divided by its length."""
    encoder = its.make(ENCODER.format(1, 8, 3))
    _draw(encoder, seed=3)
    encoder.eval()
    vectors = its.sentence_vectors(encoder, TEXTS)
    return {"the vectors": vectors, "their lengths": vectors.norm(dim=-1)}


LINEAR = "torch.nn.Linear(3, 4)"
X = torch.tensor([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])


def _drawn(*shape, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).randn(*shape)).float()


@question("L3.4", advice="W + (alpha / rank) B A; A random, B zero", read="exercise L3.4")
def test_low_rank_linear(its):
    """It begins at the layer, adds (alpha / rank) B A to its matrix, and A and B alone learn."""
    linear = its.make(LINEAR)
    before = linear(X)
    module = its.LowRankLinear(linear, 2, alpha=6.0)
    state = module.state_dict()
    begins = {
        "it begins at the layer": bool(torch.allclose(module(X), before)),
        "B begins at zero": not state["B"].any(),
        "A begins at random": bool(state["A"].any()),
        "shapes of A and B": [state["A"].shape, state["B"].shape],
        "what learns": module.parameters(),
    }
    written = {"linear.weight": _drawn(4, 3), "linear.bias": _drawn(4, seed=1)}
    module.load_state_dict({**written, "A": _drawn(2, 3, seed=2), "B": _drawn(4, 2, seed=3)})
    return begins | {
        "the output": module(X),
        "weight": module.get("weight"),
        "bias": module.get("bias"),
        "rank = 0": refusal(lambda: its.LowRankLinear(its.make(LINEAR), 0)),
    }


@question("L3.5", advice="freeze all, then replace the layers named", read="exercise L3.5")
def test_add_low_rank(its):
    """Adapters replace every layer so named, and everything else stays as it is."""
    encoder = its.make(ENCODER.format(2, 4, 0))
    encoder.eval()
    before = encoder(TEXTS[:1])[0]
    its.add_low_rank(encoder, 2, alpha=6.0, names=["w_k", "w_o"])
    begins = bool(torch.allclose(encoder(TEXTS[:1])[0], before, atol=1e-5))
    learns = sorted(name for name, learning in encoder.parameters().items() if learning)
    _draw(encoder, seed=4)
    usual = its.make(ENCODER.format(2, 4, 0))
    its.add_low_rank(usual, 1)
    return {
        "it begins at the encoder": begins,
        "what learns": learns,
        "the vectors": encoder(TEXTS[:1])[0],
        "what learns by default": sorted(n for n, yes in usual.parameters().items() if yes),
        "no such layer": refusal(
            lambda: its.add_low_rank(its.make(ENCODER.format(2, 4, 0)), 1, names=["w_9"])
        ),
    }
