# Nothing but Python (3.10 to 3.13) and make is needed; .venv is built when it is missing.
PYTHON ?= python3
VENV := .venv
COURSE := $(VENV)/bin/course
READY := $(VENV)/ready

.PHONY: demo test check build bench help

help:           ## what there is
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## */\t/' | expand -t 12

demo: $(READY)  ## grade a small bundled class, train a translator, show the report (some minutes)
	@$(COURSE) demo

test: $(READY)  ## everything that must hold (20 to 30 minutes on 2 cores)
	@$(VENV)/bin/python -m pytest -q -n 2

build: $(READY) ## make starters and solutions from course_lib
	@$(COURSE) build

check: $(READY) ## lint, types, and that nothing built has drifted
	@$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check .
	@$(COURSE) build --check & drift=$$!; $(VENV)/bin/mypy; types=$$?; wait $$drift && exit $$types

bench: $(READY) ## the measured comparisons behind the documents' figures
	@$(COURSE) bench grading && $(COURSE) bench model && $(COURSE) bench encoder

$(READY): pyproject.toml constraints.txt tools/make_venv.py
	@$(PYTHON) tools/make_venv.py $(VENV)
