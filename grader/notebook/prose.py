"""Text that people type into code cells."""

import ast
import re
from functools import lru_cache

TEXT_MAGIC = re.compile(r"\s*%%(markdown|latex|html)\b.*\n?")
CODE_MAGIC = re.compile(r"^[ \t]*[%!]{1,2}\w", re.MULTILINE)
SIGN = re.compile(r"^[ \t]*# ?", re.MULTILINE)
SHOWING = ("print", "display", "Markdown")


@lru_cache(maxsize=512)
def text_in(source: str) -> str | None:
    """The text of a code cell, None if it is code.

    It is text if it is no Python, or nothing but comments and texts, which may be printed.
    """
    if magic := TEXT_MAGIC.match(source):
        return source[magic.end() :]
    if CODE_MAGIC.search(source):
        return None
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    if not body:
        return SIGN.sub("", source)
    return source if all(map(_is_text, body)) else None


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a text, or shows or names a sentence: `print("It rises.")`."""
    if not isinstance(node, (ast.Expr, ast.Assign)):
        return False
    value = node.value
    while isinstance(value, ast.Call) and len(value.args) == 1:
        if getattr(value.func, "id", "") not in SHOWING:
            return False
        value = value.args[0]
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return False
    return value is node.value and isinstance(node, ast.Expr) or " " in value.value.strip()
