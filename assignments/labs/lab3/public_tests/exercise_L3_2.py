"""The visible check of exercise L3.2: an encoder with their weights."""

import numpy as np
import torch

from grader.checking.question import question

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
