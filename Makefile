# WinoQueer-NL. `make` sets everything up and builds; `make test` sets up and tests; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

PYTHON ?= python3
CORES ?= all
BIN := .venv/bin
# Models and datasets are asked for by name only when a person says so: building and testing never use the network.
export HF_HUB_OFFLINE ?= 1
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: build
build: .make/installed ## Build everything that config.yaml asks for, then say what was built
	@echo "Building (a minute or two the first time) ..."
	@winoqueer-nl build --cores $(CORES)
	@cat results/summary.txt

.PHONY: test
test: .make/installed ## Run the tests
	@$(BIN)/python -m pytest -n 2 --dist loadfile tests

.PHONY: lint
lint: .make/installed ## Check style, types and the workflow
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/mypy
	snakemake --lint

.PHONY: format
format: .make/installed ## Put code and workflow files into their standard form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile rules

.PHONY: dry-run
dry-run: .make/installed ## Say what `make` would do and why
	@snakemake --cores 1 --dry-run

.PHONY: workflow-report
workflow-report: .make/installed ## Write Snakemake's own report of the last run to results/workflow.html
	snakemake --report results/workflow.html

.PHONY: score
score: .make/installed ## Score the models that config.yaml names (HF_HUB_OFFLINE=0 make score lets them be fetched)
	@winoqueer-nl build --cores $(CORES) score

.PHONY: report
report: .make/installed ## Write the report page, results/report/index.html
	@winoqueer-nl build --cores $(CORES) results/report/index.html

.PHONY: release
release: .make/installed ## Build the release folders (publishes nothing)
	@winoqueer-nl build --cores $(CORES) release

.PHONY: release-tools
release-tools: .make/release-tools ## Set up the programs that check a release, in .venv-release

.make/release-tools: release/tools.txt .make/installed
	@$(BIN)/python -m venv .venv-release
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
		> $$(.venv-release/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/project.pth
	@.venv-release/bin/pip install --quiet --disable-pip-version-check -r release/tools.txt
	@touch $@

.PHONY: test-second-reader
test-second-reader: .make/installed ## Read a published version with npm's client
	npm install --prefix tests/hub/reader --no-package-lock --no-audit --no-fund
	$(BIN)/python -m pytest tests/hub/test_second_reader.py -m slow

.PHONY: translate
translate: .make/installed ## Ask a translation engine for forms that languages lack (uses the network)
	@snakemake --cores 1 translate

.PHONY: hooks
hooks: ## Have git refuse commits that hold survey answers
	git config core.hooksPath hooks

.PHONY: test-slow
test-slow: .make/installed ## Run the tests that take over a minute
	@$(BIN)/python -m pytest -m slow tests

.PHONY: drill
drill: .make/installed ## Kill, fill, damage and cut builds, and compare what they end in (DRILL=quick: a short one)
	@PYTHONPATH=tests $(BIN)/python -m drill

.PHONY: slurm-check
slurm-check: .make/installed ## Score on a real Slurm of one node under faults (root; about ten minutes)
	@PYTHONPATH=tests $(BIN)/python -m cluster

.PHONY: bench
bench: .make/installed ## Measure generation, statistics and survey reading: seconds and memory
	$(BIN)/python bench/generation.py
	$(BIN)/python bench/statistics.py --coverage
	$(BIN)/python bench/survey.py 1000000

.PHONY: bench-scoring
bench-scoring: .make/installed ## Measure scoring against a naive reference (about a quarter of an hour)
	$(BIN)/python bench/scoring.py --pairs results/nl/1.0.0/pairs.parquet

.PHONY: bench-scaling
bench-scaling: .make/installed ## Measure how building and scoring grow with the names (about ten minutes)
	$(BIN)/python bench/scaling.py

.PHONY: audit
audit: .make/audit-tools ## Look the packages up among known vulnerabilities (uses the network), check their licences
	@winoqueer-nl licences > /dev/null
	@winoqueer-nl audit

.make/audit-tools: audit-tools.txt .make/installed
	@$(BIN)/python -m venv .venv-audit
	@.venv-audit/bin/pip install --quiet --disable-pip-version-check -r audit-tools.txt
	@touch $@

.PHONY: docs
docs: .make/installed ## Write the generated pages of docs/ anew
	winoqueer-nl config-docs --out docs/configuration.md
	winoqueer-nl licences --out docs/licences.md
	winoqueer-nl build --cores $(CORES) results/nl/1.0.0/paper-counts.md
	cp results/nl/1.0.0/paper-counts.md docs/paper-counts.md

.PHONY: lock
lock: .make/installed ## Write requirements.lock anew (use the oldest Python 3.11 you have: later pins may refuse it)
	$(BIN)/pip-compile --quiet --strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
		--no-header --extra dev --output-file requirements.lock pyproject.toml
	sed -i -E "s/^(torch==[0-9.]+)[+].*/\1/" requirements.lock  # any build of this version: CPU or CUDA

.PHONY: clean
clean: ## Remove what was built (the environment stays; `make distclean` removes that too)
	rm -rf results .snakemake

.PHONY: distclean
distclean: clean ## Remove what was built and the environment
	rm -rf .venv .venv-release .venv-audit .make scripts/*.egg-info .pytest_cache .hypothesis .ruff_cache .mypy_cache

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F '\t' '{printf "  make %-16s %s\n", $$1, $$2}'

.make/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit(f"Found Python {v[0]}.{v[1]}; WinoQueer-NL needs 3.11 or later. Say which one to use: make PYTHON=python3.11")'
	@$(PYTHON) -c 'import os, sys; chr(34) in os.getcwd() and sys.exit("The path of this folder holds a quotation mark, which virtual environments cannot bear: move the folder.")'
	@echo "Setting up .venv (two or three minutes, 1.5 GB) ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -e .
	@mkdir -p .make && touch $@
