"""`python -m course_lib.drawings DIR`: writes every drawing as an SVG file, for slides say."""

import sys
from pathlib import Path

from .gallery import DRAWINGS, draw

if len(sys.argv) != 2:
    raise SystemExit("give one folder: python -m course_lib.drawings DIR")
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name in DRAWINGS:
    (folder / f"{name}.svg").write_text(draw(name).svg, encoding="utf-8")
print(f"{len(DRAWINGS)} drawings in {folder}")
