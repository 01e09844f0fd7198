"""The style sheet of a report: calm, printable, light and dark."""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #1d2433; --quiet: #5b6372; --rule: #dedbd2;
  --blue: #0b62a4; --orange: #c04a00; --purple: #a3407f; --grey: #8d939e; --soft: #f2f0e9;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", Georgia, serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --card: #1b1f26; --ink: #e6e4de; --quiet: #a2a8b3; --rule: #343a44;
    --blue: #6fb1ea; --orange: #f5a05c; --purple: #df8fc4; --grey: #858c98; --soft: #222730;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word;
}
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.5rem 5rem; }
a { color: var(--blue); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
a:focus-visible, .scroll:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
h1, h2 { line-height: 1.2; font-family: var(--serif); font-weight: 600; letter-spacing: -0.01em;
  text-wrap: balance; }
h1 { font-size: 2.5rem; margin: 0; }
h2 { font-size: 1.6rem; margin: 0 0 0.75rem; }
p { margin: 0.6rem 0; max-width: 68ch; }
code, pre { font: 0.9em/1.5 var(--mono); }
pre { background: var(--soft); border-radius: 6px; padding: 0.8rem 1rem; overflow-x: auto; }
.subtitle { color: var(--quiet); font-size: 1.1rem; }
.lead { font-size: 1.15rem; }
.note { color: var(--quiet); font-size: 0.9rem; }
nav ol { columns: 3 14rem; column-gap: 2.5rem; margin: 1.25rem 0 0; padding-left: 1.4rem;
  font-size: 0.95rem; }
nav li { break-inside: avoid; padding: 0.1rem 0; }
section { margin-top: 2.75rem; padding-top: 1.75rem; border-top: 1px solid var(--rule); }
section:first-of-type { background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: 1.5rem 1.75rem; }
figure { margin: 1.5rem 0; }
figcaption { margin-bottom: 0.5rem; }
figcaption b { display: block; }
figcaption span { color: var(--quiet); font-size: 0.9rem; display: block; max-width: 75ch; }
figure svg { display: block; width: 100%; max-width: 54rem; height: auto; }
figure svg * { stroke-linejoin: round; stroke-linecap: butt; }
.scroll { overflow-x: auto; margin: 1.25rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
caption { text-align: left; color: var(--quiet); padding-bottom: 0.5rem; }
th, td { padding: 0.35rem 0.7rem 0.35rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--rule); }
th.right, td.right { text-align: right; white-space: nowrap; padding: 0.35rem 0 0.35rem 0.9rem; }
td.right + td:not(.right), th.right + th:not(.right) { padding-left: 1.4rem; }
thead th.right { white-space: normal; }
.wide th:first-child, .wide td:first-child { min-width: 15rem; }
thead th { color: var(--quiet); font-weight: 500; font-size: 0.82rem; vertical-align: bottom; }
tr.marked { background: var(--soft); font-weight: 600; }
@media (max-width: 48rem) {
  main { padding: 1.5rem 1rem 3rem; }
  h1 { font-size: 2rem; }
  section:first-of-type { padding: 1rem; }
  figure { overflow-x: auto; }
  figure svg { min-width: 34rem; }
}
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --quiet: #444; --rule: #bbb; }
  body { font-size: 10.5pt; }
  main { padding: 0; max-width: none; }
  h2, figcaption { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  .scroll { overflow: visible; }
}
"""
