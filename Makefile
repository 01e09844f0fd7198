# Nothing but Python (3.10 to 3.13) and make is needed; .venv is built when it is missing.
PYTHON ?= python3
VENV := .venv
COURSE := $(VENV)/bin/course
READY := $(VENV)/ready

.PHONY: install demo test long proof check build bench bounds help

install: $(READY) ## what `make` alone does: install into .venv, and say what to do next
	@sed -n 's/^# NEXT: //p' Makefile

# NEXT: Installed. Activate it first: source .venv/bin/activate
# NEXT:   to read    open lectures/README.md, the study plan
# NEXT:   to learn   course release --self-study --no-lectures --to ../my-transformer
# NEXT:   to teach   course release --week 1 --to ../for-students
# NEXT:   to grade   course grade SUBMITTED, or first make demo: an invented class
# NEXT: Everything else: make help

help:           ## what there is
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## */\t/' | expand -t 12

demo: $(READY)  ## grade a small bundled class, train a translator, show the report (three minutes)
	@$(COURSE) demo

test: $(READY)  ## what every change must hold (eight to ten minutes on 2 cores)
	@$(VENV)/bin/python -m pytest -q -n 2 --dist loadgroup

long: $(READY)  ## the tests that take longer, before anything lands (a quarter of an hour)
	@$(VENV)/bin/python -m pytest -q -n 2 --dist loadgroup -m 'long and not slow'

proof: $(READY) ## all known submissions, both backends, 20 seeds, and the slow tests (an hour)
	@$(COURSE) prove
	@$(VENV)/bin/python -m pytest -q -n 2 --dist loadgroup -m slow

build: $(READY) ## make starters and solutions from course_lib
	@$(COURSE) build

check: $(READY) ## lint, layers, types, and that nothing built has drifted
	@$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check .
	@$(VENV)/bin/lint-imports --no-logo --no-cache
	@$(COURSE) build --check & drift=$$!; $(VENV)/bin/mypy; types=$$?; wait $$drift && exit $$types

bench: $(READY) ## the measured comparisons behind the documents' figures
	@$(COURSE) bench grading && $(COURSE) bench encoder

PY ?= 3.10
bounds: $(READY) ## the lowest versions that pyproject.toml names, on one Python: make bounds PY=3.13
	@$(VENV)/bin/python tools/bounds.py $(PY)

$(READY): pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py $(VENV)
