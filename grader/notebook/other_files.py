"""Names what was handed in as a notebook and is none: a web page, an archive, half a file."""

import json
import re
from collections.abc import Mapping
from typing import Any

SUBMIT = "submit the .ipynb that Jupyter saved"
CUT_OFF = "is cut off at its end: save the notebook again, and submit it whole"
_UNPACK = "unpack it, and submit the .ipynb in it"
_BEGINS = {  # how a file begins, what it is then, and what to do
    b"%PDF": ("a PDF", SUBMIT),
    b"\xd0\xcf\x11\xe0": ("an old Word or Excel file", SUBMIT),
    b"\x1f\x8b": ("a gzip archive", _UNPACK),
    b"BZh": ("a bzip2 archive", _UNPACK),
    b"\xfd7zXZ\0": ("an xz archive", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", _UNPACK),
    b"Rar!\x1a\x07": ("a RAR archive", _UNPACK),
    b"{\\rtf": ("a text with formatting (RTF)", SUBMIT),
    b"\x89PNG": ("a picture (PNG)", SUBMIT),
    b"\xff\xd8\xff": ("a picture (JPEG)", SUBMIT),
    b"GIF8": ("a picture (GIF)", SUBMIT),
    b"bplist00": (
        "a placeholder of iCloud, which has not downloaded the notebook",
        "open it in Jupyter once, and submit it again",
    ),
    b"version https://git-lfs": (
        "a pointer of Git LFS, not the notebook itself",
        "run `git lfs pull`, and submit the .ipynb that is there then",
    ),
    b"404: Not Found": (
        "GitHub's answer to an address that does not exist (404: Not Found)",
        "open the notebook on GitHub, and choose Download raw file",
    ),
}
_PLAIN = (
    "is plain text, not a notebook: submit the .ipynb itself, or convert it with "
    "`jupytext --to ipynb`"
)
_PACKED = {  # a name in a zip file that is a document
    b"word/": "a Word document",
    b"xl/": "an Excel workbook",
    b"ppt/": "a PowerPoint presentation",
    b"opendocument": "an OpenDocument file",
}
_TEXTS = (  # how a text begins, without upper case
    (r"<(!doctype html|html|!--|head|body|script)", "a web page (HTML)",
     "submit the .ipynb; on GitHub, choose Download raw file"),
    (r"<", "XML, not a notebook", SUBMIT),
    (r"# ---\n# jupyter|# %%|#!.*python|# -\*-|import |from \w|def |class ", "a Python script",
     "submit the .ipynb itself, or convert it with `jupytext --to ipynb`"),
)  # fmt: skip
_CONFLICT = re.compile(r"^[ \t]*(<{7}|>{7}|\|{7}|={7})(?: .*)?$", re.MULTILINE)
_LINKS = ("docs.google.com", "drive.google.com", "colab.research.google.com", "colab.google")
EMPTY = b"\0 \t\r\n"  # what broken copying fills a file with, and what JSON skips
ZIP = b"PK\3\4"
HEAD = 2**14  # bytes that show whether a file is a notebook
_KEYS = (b'"cell_type"', b'"nbformat"')  # what only notebooks have
_MARKS = b"\xef\xbb\xbf\xff\xfe \t\r\n"  # of the order of bytes, and spaces
NEAR_THE_END = 6  # characters: half of a word or escape of JSON


def is_notebook(head: bytes) -> bool:
    """Whether a file with this beginning is meant as a notebook, whatever its name is."""
    text = head.replace(b"\0", b"").lstrip(_MARKS)  # as UTF-16 has NULs
    return text.startswith(b"{") and any(key in text for key in _KEYS)


def kind(data: bytes) -> str:
    """The kind of a file, by its bytes, and what to do; "" if it could be a notebook."""
    if not data.strip(EMPTY):
        return "is empty: save the notebook and submit it again"
    for beginning, (what, remedy) in _BEGINS.items():
        if data.startswith(beginning):
            return f"is {what}: {remedy}"
    if data.startswith(ZIP):
        return packed_document(data) or f"is a zip archive: {_UNPACK}"
    text = data[:4096].removeprefix(b"\xef\xbb\xbf").decode("latin-1").lstrip().lower()
    fits = (row for row in _TEXTS if re.match(row[0], text))
    return next((f"is {what}: {remedy}" for _, what, remedy in fits), "")


def packed_document(data: bytes) -> str:
    """Which document a zip file is, and what to do; "" if it is a mere archive."""
    head = data[:HEAD]
    if b"[Content_Types].xml" not in head and b"opendocument" not in head:
        return ""
    found = (what for name, what in _PACKED.items() if name in head)
    return f"is {next(found, 'an Office document')}: {SUBMIT}"


def is_meant(name: str) -> bool:
    """Whether a file was meant as a notebook, by its name: `a1.ipynb.txt`, `a1.gdoc`."""
    return re.search(r"\.ipynb|\.g(doc|sheet|link|colab)$", name, re.IGNORECASE) is not None


def instead(head: bytes) -> str:
    """The kind of a file without cells, by its beginning, and what to do; "" if unclear."""
    if told := kind(head):
        return told
    try:
        return without_cells(json.loads(head))
    except (ValueError, RecursionError):
        return ""


def broken(text: str, error: Exception) -> str:
    """The fault in a text that should be JSON, and what to do."""
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start(1)) + 1
        return (
            f"has an unresolved git conflict in line {line} ({conflict[1]}): keep one version, and "
            "save the notebook in Jupyter"
        )
    if text[:1] == "{" and _is_cut_off(text, error):
        return CUT_OFF
    if text[:1] not in "{[":
        return _PLAIN
    return f"is not JSON ({str(error)[:120]}): {SUBMIT}"


def _is_cut_off(text: str, error: Exception) -> bool:
    if str(error).startswith("Unterminated string"):
        return True  # no quotation mark follows
    return getattr(error, "pos", 0) >= len(text.rstrip()) - NEAR_THE_END


def without_cells(document: Any) -> str:
    """The kind of a JSON file without cells, and what to do."""
    if not isinstance(document, Mapping):
        return f"is JSON without cells, not a notebook: {SUBMIT}"
    if "worksheets" in document:
        return "has the old format 3 of notebooks: open it in Jupyter, save it, submit it again"
    if any(link in str(document.get("url", ""))[:200] for link in _LINKS) or "doc_id" in document:
        return (
            "is a shortcut of Google Drive, not the notebook itself: open it there, choose File, "
            "Download, and submit the .ipynb"
        )
    keys = ", ".join(str(key)[:20] for key in list(document)[:3])
    return f"is JSON without cells, not a notebook{f' (it has {keys})' if keys else ''}: {SUBMIT}"


def other_language(document: Mapping[str, Any], code: list[str]) -> str:
    """The notebook's language if it is not Python and nothing in it defines anything in Python."""
    metadata = document.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    names = [
        found
        for part, key in (("kernelspec", "language"), ("language_info", "name"))
        if isinstance(about.get(part), dict) and isinstance(found := about[part].get(key), str)
    ]
    if not names or any("python" in name.lower() for name in names):
        return ""
    if any(re.search(r"^\s*(def|class) \w+.*:", source, re.MULTILINE) for source in code):
        return ""
    return names[0][:20]
