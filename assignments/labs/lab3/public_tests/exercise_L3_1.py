"""The visible check of exercise L3.1: their names and ours."""

from grader.checking.question import question

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
