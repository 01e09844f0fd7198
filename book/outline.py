"""The paper's sections, and what else of it can be referred to."""

import re

OUTLINE = {
    "1": "Introduction",
    "2": "Background",
    "3": "Model Architecture",
    "3.1": "Encoder and Decoder Stacks",
    "3.2": "Attention",
    "3.2.1": "Scaled Dot-Product Attention",
    "3.2.2": "Multi-Head Attention",
    "3.2.3": "Applications of Attention in our Model",
    "3.3": "Position-wise Feed-Forward Networks",
    "3.4": "Embeddings and Softmax",
    "3.5": "Positional Encoding",
    "4": "Why Self-Attention",
    "5": "Training",
    "5.1": "Training Data and Batching",
    "5.2": "Hardware and Schedule",
    "5.3": "Optimizer",
    "5.4": "Regularization",
    "6": "Results",
    "6.1": "Machine Translation",
    "6.2": "Model Variations",
    "6.3": "English Constituency Parsing",
    "7": "Conclusion",
}
WITHOUT = ("1", "2", "3.2", "5", "6", "7")  # they state nothing that their parts do not
TABLES, FIGURES, EQUATIONS, FOOTNOTES = 4, 5, 3, 5  # how many it has
_NAMED = re.compile(r"§\s?(\d+(?:\.\d+)*)|\b(Table|Figure|Eq\.|footnote)s?\s(\d+)")
_COUNTS = {"Table": TABLES, "Figure": FIGURES, "Eq.": EQUATIONS, "footnote": FOOTNOTES}


def missing(text: str) -> list[str]:
    """The sections, tables, figures, equations and footnotes that a text names and that are not."""
    found = []
    for one in _NAMED.finditer(text):
        section, kind, number = one.groups()
        if section not in OUTLINE if section else not 1 <= int(number) <= _COUNTS[kind]:
            found.append(one[0])
    return found
