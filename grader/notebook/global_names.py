"""Finds the global names that a piece of Python uses."""

from __future__ import annotations

import builtins
import symtable
from functools import lru_cache


@lru_cache(maxsize=4096)
def global_names(source: str) -> frozenset[str]:
    """The global names that top-level statements use, except builtins.

    Uses the compiler's symbol tables, so a local variable is never mistaken for a global. Raises
    SyntaxError.
    """
    found: set[str] = set()

    def walk(table: symtable.SymbolTable) -> None:
        for symbol in table.get_symbols():
            if symbol.is_referenced() and symbol.is_global():
                found.add(symbol.get_name())
        for child in table.get_children():
            walk(child)

    top = symtable.symtable(source, "<component>", "exec")
    for symbol in top.get_symbols():
        if symbol.is_referenced():
            found.add(symbol.get_name())
    walk(top)
    return frozenset(name for name in found if not hasattr(builtins, name))
