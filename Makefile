# `make demo` and `make test` work in a fresh clone; the others are for working on PipeFL.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# Also for the build backend, which pip installs apart from the rest.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test check format lint types imports doctest examples docs figures benchmarks clean

help:
	@echo "make demo    train, conventional against clustered, and plan for the example population"
	@echo "make test    run the tests"
	@echo "make check   all that CI runs: format, lint, types, imports, tests, doctests, examples, docs"
	@echo "make format  format the code"
	@echo "make docs    build the documentation's site in site/"
	@echo "make figures draw the pictures and tables of the docs again"
	@echo "make benchmarks  measure the speed of the planner, the clock and training"

$(INSTALLED): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "PipeFL needs Python 3.11 or newer on the PATH" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "PipeFL needs Python 3.11 or newer; $(PYTHON) is older. Name one with PYTHON=…" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $@

demo: $(INSTALLED)
	@$(BIN)/pipefl plan --demo --channels 2 --server-time 0.5 --html plan.html
	@echo "Plan: plan.html"
	@rm -rf demo
	@$(BIN)/pipefl run demo --runs-dir demo

test: $(INSTALLED)
	$(BIN)/python -m pytest -n logical --dist worksteal

check: $(INSTALLED) lint types imports test doctest examples docs

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(INSTALLED)
	$(BIN)/mypy

imports: $(INSTALLED)
	$(BIN)/lint-imports

doctest: $(INSTALLED)
	$(BIN)/python -m pytest --doctest-modules src

examples: $(INSTALLED)
	@for script in examples/*.py; do echo "$$script"; $(BIN)/python "$$script" || exit 1; done

docs: $(INSTALLED)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

figures: $(INSTALLED)
	$(BIN)/python docs/draw.py

benchmarks: $(INSTALLED)
	$(BIN)/python -m pip install --quiet -e '.[dev,benchmarks]'
	$(BIN)/python benchmarks/planner.py
	$(BIN)/python benchmarks/timeline.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/precision.py

clean:
	rm -rf $(VENV) demo site .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache plan.html
