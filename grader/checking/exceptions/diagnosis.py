"""The meaning of an exception, and the advice for a call whose arguments do not fit."""

import re
from collections.abc import Collection

from ...seam.errors import LOAD_ERROR
from . import signs, torch_signs

SIGNS = torch_signs.SIGNS + signs.SIGNS  # the first that fits counts
_LOADING = re.compile(r"raised (\w+)(?:: (.*))?$", re.DOTALL)  # see `seam.loading`
# A call whose arguments do not fit the function, as Python, NumPy and torch say it.
_CALL = re.compile(
    r"(?P<function>[\w.<>]+)\(\) (missing \d+ required[^:]*: (?P<missing>.*)|takes "
    r"|got multiple values for argument"
    r"|got an unexpected keyword argument '(?P<keyword>\w+)'|received an invalid combination)"
)
_QUOTES = "['\"]"
_OTHER_LIBRARY = {
    "keepdim": "NumPy calls it `keepdims`",
    "keepdims": "torch calls it `keepdim`",
    "dim": "NumPy calls it `axis`",
    "axis": "torch calls it `dim`",
}


def diagnosis(kind: str, message: str, names: Collection[str] = ()) -> tuple[str, bool]:
    """The meaning of an exception, and whether it is certain; ("", False) if unknown.

    `names`: functions and classes whose arguments follow the handout, since the test calls them.
    """
    if kind == LOAD_ERROR and (known := _LOADING.search(message)):
        kind, message = known.groups("")
    for sign in SIGNS:
        found = re.search(sign.words, message)
        if found and re.fullmatch(sign.kind, kind):
            return sign.meaning.format(*found.groups()), sign.certain
    if kind == "TypeError" and (call := _CALL.match(message)):
        return _of_call(names, **call.groupdict("")), False
    return "", False


def _of_call(names: Collection[str], function: str, missing: str, keyword: str) -> str:
    """The advice for a call whose arguments do not fit."""
    own, _, method = function.partition(".")
    if own in names:
        self = " (the first parameter of a method is `self`)" if method else ""
        return f"the name, the number or the order of the parameters differs from the handout{self}"
    public = function.removesuffix(".__init__").removesuffix(".forward").lstrip("_")
    called = f"`{public or function}`"
    if keyword:
        other = _OTHER_LIBRARY.get(keyword, "look at the names in its definition")
        return f"{called} has no argument `{keyword}`: {other}"
    if missing:
        return f"{called} is called without {re.sub(_QUOTES, '`', missing)}, which it needs"
    return f"{called} is called with other arguments than it takes: look at its definition"
