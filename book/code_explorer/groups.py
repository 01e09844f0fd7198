"""Which part of the model a module belongs to, and where the live model shows that part."""

from dataclasses import dataclass

from grader.library.components import BuildError


@dataclass(frozen=True)
class Group:
    """Modules and packages, without `course_lib.`; `live` is a place of the live page, or ""."""

    title: str
    modules: tuple[str, ...]
    live: str = ""


GROUPS = (
    Group("Tokens, embedding, positions", ("data", "embeddings", "positions"), "positions"),
    Group("Masks", ("masks",), "causal"),
    Group(
        "Attention",
        (
            *("numpy_forms", "attention", "fast.attention"),
            *("families.projected_attention", "families.cached_attention"),
        ),
        "cross",
    ),
    Group("Feed-forward", ("feed_forward", "families.gelu_feed_forward"), "stream"),
    Group("Add and norm", ("residual", "normalization", "fast.forms"), "stream"),
    Group(
        "Encoder",
        ("encoder", "classifier", "families.masked_language_model", "families.encoder_heads"),
        "encoder",
    ),
    Group(
        "Decoder",
        ("decoder", "fast.cached_decoder", "fast.projections"),
        "self",
    ),
    Group(
        "Whole model and loss",
        (
            *("transformer", "transformer_variants", "families", "config"),
            *("training.losses", "fast.loss"),
        ),
        "text",
    ),
    Group("Training", ("training", "initialization", "recipes")),
    Group("Decoding", ("decoding",), "beam"),
    Group("Analysis and diagnosis", ("analysis", "evaluation", "diagnosis")),
    Group("The study", ("course_study",)),
)


def group_of(module: str) -> Group:
    """The group that names the module, or the innermost package around it. Raises BuildError."""
    name = module.removeprefix("course_lib.")
    while name:
        for group in GROUPS:
            if name in group.modules:
                return group
        name = name.rpartition(".")[0]
    raise BuildError(f"{module} has a component, but no group of the code explorer names it")
