# Needs Python 3.11 or newer and make; everything else goes into .venv, which is made on first use.

PYTHON ?= python3
VENV := .venv
SPARK := .venv-spark
SITE := .venv-site
BRIDGES := .venv-bridges
FRAMEWORKS := .venv-frameworks
NODE := build/node
SPARK_TESTS ?= tests/spark
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
FIRST := sample_data/first
SPARK_NEEDS := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["spark"])
# what is compiled once is not compiled by every process that follows
unexport PYTHONDONTWRITEBYTECODE
BENCH_ARGS ?=
SIGNIFICANCE_ARGS ?=
BOARDS_ARGS ?=
LEVELS_ARGS ?=
MUTANTS_ARGS ?=
SIZE_ARGS ?=
TEST_ARGS ?=
MINUTES ?= 10
FUZZ_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-near matrix test-browser lint-page test-spark test-bridges test-frameworks lint format docs site figures figures-check bench levels coverage profile size mutants fuzz clean java

help:  ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo 'PYTHON=... chooses the interpreter; BENCH_ARGS=... and SIGNIFICANCE_ARGS=... to the benchmarks, BOARDS_ARGS=... and LEVELS_ARGS=... to the levels, SIZE_ARGS="--tree PATH" to the size, MUTANTS_ARGS=... (--help) to the mutants, FUZZ_ARGS=... to the fuzzers.'

demo: $(VENV)/installed  ## set up, score two sample runs, and say whether one is better
	$(BIN)/irev -m map,P@10,nDCG@10 $(FIRST)/qrels.txt $(FIRST)/bm25.run
	@echo
	$(BIN)/irev -m map,P@10,nDCG@10 $(FIRST)/qrels.txt $(FIRST)/neural.run
	@echo
	$(BIN)/irev compare -m map $(FIRST)/qrels.txt $(FIRST)/bm25.run $(FIRST)/neural.run

test: $(VENV)/developing  ## run the tests, in under three minutes on two cores
	@echo 'Running the tests ...'
	$(BIN)/python -m pytest -n auto $(TEST_ARGS)

test-all: TEST_ARGS = --all
test-all: test  ## run also what takes long: whole grids, servers, uploads, simulations (six minutes)

test-near: $(VENV)/developing  ## run the tests that look at what changed since main
	tests=$$($(BIN)/python -m tools.near) && $(BIN)/python -m pytest -n auto $$tests

matrix: $(VENV)/developing  ## run these on every Python that can be had, with oldest and newest packages
	$(PIP) install --group matrix
	$(BIN)/python -m tools.matrix tests

test-browser: lint-page $(VENV)/browsing  ## open the page of results in Chromium: clicks, links, downloads, sizes, axe (CHROME=... names it)
	IREV_TEST_BROWSER=yes $(BIN)/python -m pytest -n 2 tests/browser

lint-page: $(NODE)/installed  ## check the types of the script of that page (needs npm)
	$(NODE)/node_modules/.bin/tsc --project tests/browser/tsconfig.json

test-spark: $(SPARK)/installed  ## run the tests of Spark, which needs Java 17 (450 MB go into .venv-spark)
	PYTHONPATH=$(SPARK) $(BIN)/python -m pytest -n 0 $(SPARK_TESTS)

test-bridges: $(BRIDGES)/installed  ## run the tests of irev.compat beside the packages it stands for (500 MB)
	$(BRIDGES)/bin/python -m pytest -n 0 tests/compat tests/bridges

test-frameworks: $(FRAMEWORKS)/installed  ## read documents of frameworks, and give scores to DuckDB, Polars, MLflow, W&B (1 GB)
	$(FRAMEWORKS)/bin/python -m pytest -n 0 tests/frameworks tests/engine/test_rank_column.py

lint: $(VENV)/developing  ## check style and types
	$(BIN)/ruff check
	$(BIN)/ruff check --preview --select PLW1514  # encoding= where text is opened: not every locale is UTF-8
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@$(BIN)/python -m tools.docs.notebook_code build/notebook_code.py
	$(BIN)/mypy --strict build/notebook_code.py

format: $(VENV)/developing  ## put the code into the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(VENV)/developing  ## write the pages of the measures (docs/measures) and the stubs (irev/*.pyi) anew
	$(BIN)/python -m tools.docs.measure_pages
	$(BIN)/python -m tools.docs.stubs

site: $(SITE)/installed  ## build the website of docs into build/site; works offline once installed
	$(SITE)/bin/python -m sphinx -a -W --keep-going --quiet -d build/site-cache docs build/site
	$(SITE)/bin/python -m tools.docs.search_terms build/site
	@echo 'Open build/site/index.html'

figures: $(VENV)/developing  ## draw the figures of docs/evidence/studies.md anew, by its commands
	$(BIN)/python -m tools.figures.gallery

figures-check: $(VENV)/developing  ## draw every kind of figure in every size, and look for cut texts (FIGURES_ARGS=--help)
	$(BIN)/python -m tools.figures.check $(FIGURES_ARGS)

levels: $(VENV)/developing  ## simulate how often tests of all pairs reject where no runs differ (BOARDS_ARGS, LEVELS_ARGS=--help)
	$(BIN)/python -m tools.levels.boards $(BOARDS_ARGS)
	$(BIN)/python -m tools.levels.levels $(LEVELS_ARGS)

coverage: $(VENV)/developing  ## simulate how often prediction-powered intervals cover (docs/evidence/predicted-judgments.md)
	$(BIN)/python -m tools.levels.predicted

bench: $(VENV)/developing  ## measure time and memory beside other programs (BENCH_ARGS=--help)
	$(BIN)/python -m tools.bench.bench $(BENCH_ARGS)
	$(BIN)/python -m tools.bench.significance $(SIGNIFICANCE_ARGS)

profile: $(VENV)/developing  ## show where the time of an evaluation goes
	$(BIN)/python -m tools.bench.stages

size: $(VENV)/developing  ## count files and lines, and follow a few calls through them
	$(BIN)/python -m tools.size $(SIZE_ARGS)

mutants: $(VENV)/developing  ## put faults into the core or any room, one at a time, and show those that no test notices
	$(PIP) install --group mutants
	$(BIN)/python -m pytest -q -n 0 tests/tools/test_mutants.py
	$(BIN)/python -m tools.mutants $(MUTANTS_ARGS)

fuzz: $(VENV)/developing  ## try generated, damaged and hindered input, for MINUTES=10 (FUZZ_ARGS=--help)
	$(BIN)/python -m tools.fuzz.run --minutes $(MINUTES) $(FUZZ_ARGS)

clean:  ## remove all that was made here
	rm -rf $(VENV) $(SPARK) $(SITE) $(BRIDGES) $(FRAMEWORKS) .venv-matrix build dist docs/reference .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# The eight files below are stamps: while they are newer than what they depend on, nothing is installed.

$(VENV)/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "irev needs Python 3.11 or newer: make PYTHON=python3.x ...")'
	@echo '1 of 2: making a virtual environment in $(VENV) ...' >&2
	@$(PYTHON) -m venv $(VENV)
	@echo '2 of 2: installing irev with NumPy, pandas, pyarrow and scipy (150 MB to download, a minute or two) ...' >&2
	@if [ -t 2 ]; then $(BIN)/python -m pip --disable-pip-version-check install --editable .; else $(PIP) install --editable .; fi
	@$(BIN)/python -m compileall -q irev  # so that the first call starts as fast as the next
	@touch $@

$(VENV)/developing: $(VENV)/installed
	@echo 'Installing what the tests and checks need ...' >&2
	@$(PIP) install --upgrade 'pip>=25.1'  # the first that knows --group
	@$(PIP) install --editable '.[plot]' --group dev
	@touch $@

$(VENV)/browsing: $(VENV)/developing
	@echo 'Installing the driver of the browser ...' >&2
	@$(PIP) install --group browser
	@touch $@

$(SITE)/installed: WITH = Sphinx
$(SITE)/installed: WHAT = . --group site
$(BRIDGES)/installed: WITH = pytrec_eval, ir_measures, PyTerrier and ranx
$(BRIDGES)/installed: WHAT = . --group bridges
$(FRAMEWORKS)/installed: WITH = LangChain, LlamaIndex, Haystack, DuckDB, Polars, MLflow and W&B
$(FRAMEWORKS)/installed: WHAT = . --group frameworks

$(SITE)/installed $(BRIDGES)/installed $(FRAMEWORKS)/installed: pyproject.toml
	@echo 'Installing irev with $(WITH) into $(@D) ...' >&2
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip --disable-pip-version-check --quiet install --upgrade 'pip>=25.1'
	@$(@D)/bin/python -m pip --disable-pip-version-check --quiet install --editable $(WHAT)
	@touch $@

$(NODE)/installed: tests/browser/package.json
	@command -v npm >/dev/null || { echo 'The page is checked by tsc and axe, which npm installs (Debian: apt-get install npm).' >&2; exit 1; }
	@echo 'Installing tsc and axe into $(NODE) ...' >&2
	@mkdir -p $(NODE)
	@cp tests/browser/package.json $(NODE)
	@npm install --prefix $(NODE) --silent --no-fund --no-audit --no-package-lock
	@touch $@

# Spark alone: irev, and what tests need, are in the other.
$(SPARK)/installed: $(VENV)/developing | java
	@echo 'Installing Spark into $(SPARK) ...' >&2
	@rm -rf $(SPARK)
	@$(PIP) install --target $(SPARK) "$$($(BIN)/python -c '$(SPARK_NEEDS)')"
	@touch $@

java:
	@test -n "$$JAVA_HOME" || command -v java >/dev/null || { echo 'Spark needs Java 17 or newer (Debian: apt-get install default-jre-headless).' >&2; exit 1; }
