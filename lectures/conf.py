"""Sphinx's settings for the lectures; `course site build` reads them."""

from grader.course.course import Course

_course = Course.here()

project = _course.facts.title
author = ""  # nobody: a page names none
copyright = ""
language = "en"
extensions = [
    "myst_nb",
    "sphinx_design",
    "sphinx_revealjs",
    "sphinx-mathjax-offline",
    "book.extension",
]
if tags.has("deck"):  # noqa: F821 - Sphinx gives it
    root_doc = "part1_motivation"
    include_patterns = ["part*.md"]
    templates_path = ["_templates/deck"]
else:
    root_doc = "index"
    templates_path = ["_templates/book"]
suppress_warnings = ["myst.header"]
exclude_patterns = ["README.md", "notebooks", "quizzes"]  # made for a repository's host
if tags.has("deck"):  # noqa: F821 - the glossary and the other pages are in the book only
    suppress_warnings += ["ref.term", "ref.doc", "myst.xref_missing", "toc.not_included"]
if tags.has("students") and not tags.has("deck"):  # noqa: F821 - pages with answers are left out
    exclude_patterns += ["teach", "teach/**", "walkthrough*"]
    suppress_warnings += ["toc.excluded"]
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist", "substitution"]
myst_heading_anchors = 3
myst_words_per_minute = 200

nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_show_tb = True
nb_merge_streams = True  # what a cell prints is one box, however slowly it came
nb_mime_priority_overrides = [("revealjs", "image/svg+xml", 0), ("revealjs", "text/plain", 20)]
nb_render_image_options = {"width": "100%"}

html_theme = "sphinx_book_theme"
html_title = _course.facts.title
html_static_path = ["_static"]
html_css_files = ["course.css", "icons.css", "live/live.css"]
html_favicon = "_static/favicon.svg"
html_sidebars = {"**": ["search-button-field.html", "sbt-sidebar-nav.html"]}
html_context = {"default_mode": "auto"}
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "repository_url": _course.facts.source_repository,
    "repository_branch": "main",
    "path_to_docs": "lectures",
    "use_edit_page_button": bool(_course.facts.source_repository),
    "use_download_button": False,
    "navbar_persistent": [],  # the search is in the sidebar
    "home_page_in_toc": True,
    "show_navbar_depth": 1,
    "max_navbar_depth": 1,
    "show_toc_level": 2,
    "footer_content_items": ["extra-footer.html"],
    "extra_footer": f"<p>{_course.facts.title}. MIT license.</p>",
}

revealjs_style_theme = "slides.css"
revealjs_static_path = ["_static"]
revealjs_script_conf = {
    "width": 1280,
    "height": 720,
    "margin": 0,
    "maxScale": 4,  # a projector's 5120 pixels
    "center": False,
    "hash": True,
    "navigationMode": "linear",  # one key goes on, one goes back
    "slideNumber": "c/t",
    "transition": "none",
    "controlsTutorial": False,
    "pdfSeparateFragments": False,
    "pdfMaxPagesPerSlide": 1,  # its letters become smaller instead, once it is laid out
}
revealjs_script_plugins = []  # deck.js loads that of the speaker's view
