"""The space of a study: which factors it varies, over which levels, around which default.

A configuration is a dictionary with one level for each factor.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from course_lib.config import SCHEMES

Configuration = dict[str, Any]
Factors = Mapping[str, Sequence[Any]]

# The default is the paper's base model and training: §5.3, §5.4, and Table 3, the row "base".
DEFAULT: Configuration = {
    "n_heads": 8,
    "n_layers": 6,
    "dropout": 0.1,
    "label_smoothing": 0.1,
    "schedule": "paper",
    "warmup": 4000,  # steps of the paper's 100,000; a shorter training scales it
}
FACTORS: Factors = {
    "n_heads": (4, 8, 16),
    "n_layers": (4, 6, 8),
    "dropout": (0.0, 0.1, 0.3),
    "label_smoothing": (0.0, 0.1, 0.2),
    "schedule": ("paper", "constant", "cosine"),
    "warmup": (1000, 4000, 10_000),
}

# A seventh factor, which tasks take beside these six; a study that is handed in has the six, so
# that all can be compared. Without it, a configuration has the paper's positions (§3.5).
SINUSOIDAL = SCHEMES[0]
POSITIONS: Factors = {"positions": SCHEMES}
