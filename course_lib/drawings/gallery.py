"""All drawings of the course, by name."""

from collections.abc import Callable
from functools import lru_cache, partial

from .architecture import encoder, transformer, transformer_upright
from .beam_tree import beam_tree
from .drawing import Drawing
from .key_value_cache import key_value_cache
from .mask_grids import mask_grids
from .multi_head import multi_head
from .residual_orders import residual_orders
from .scaled_dot_product import scaled_dot_product
from .split_heads import heads_split_and_merged
from .steps.accumulation import accumulation
from .steps.sixteen_bits import sixteen_bits
from .teacher_forcing import teacher_forcing
from .variants.answer_mask import answer_mask
from .variants.experts import experts
from .variants.feedback import feedback
from .variants.gated_cell import gated_cell
from .variants.grouped_queries import grouped_queries
from .variants.growth import growth
from .variants.guesses import guesses
from .variants.induction import induction
from .variants.lattice import lattice
from .variants.low_rank import low_rank
from .variants.machine import STEPS, machine
from .variants.padding import padding
from .variants.patches import patches
from .variants.prefill import prefill
from .variants.sound import sound
from .variants.tiles import tiles
from .variants.two_encoders import two_encoders

DRAWINGS: dict[str, Callable[[], Drawing]] = {
    "split_heads": heads_split_and_merged,
    **{made.__name__: made for made in (
        scaled_dot_product, mask_grids, multi_head, residual_orders, encoder, transformer,
        teacher_forcing, beam_tree, key_value_cache, gated_cell, grouped_queries, low_rank,
        accumulation, sixteen_bits, answer_mask, experts, feedback, growth, guesses, induction,
        lattice, padding, patches, prefill, sound, tiles, two_encoders,
    )},
    **{f"machine_{step}": partial(machine, step) for step in range(1, len(STEPS) + 1)},
}  # fmt: skip

UPRIGHT = {"transformer": transformer_upright}  # the same for narrow screens, by the same name


@lru_cache(maxsize=len(DRAWINGS))
def draw(name: str) -> Drawing:
    """The drawing of that name. Raises ValueError, with all names, if there is none."""
    if name not in DRAWINGS:
        raise ValueError(f"no drawing is named {name!r}; there are {', '.join(DRAWINGS)}")
    return DRAWINGS[name]()
