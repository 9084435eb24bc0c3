# Needs make and a shell; everything else is made here. PYTHON=python3.12 picks another interpreter.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
JOBS   ?= 2

# Stamps live inside the environment: removing .venv starts over, and nothing is installed twice.
# The package is installed in editable mode, so that edits under src/ need no new installation.
PACKAGE := $(VENV)/.package.stamp
DEV     := $(VENV)/.dev.stamp
TINT    := build/tint/.stamp
WGSL    := build/wgsl

.DEFAULT_GOAL := help
.PHONY: help setup vulkan check test test-long fuzz fuzz-api demo ci clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' Makefile

setup: $(DEV)  ## make .venv with the package (editable) and the development tools

demo: $(PACKAGE) vulkan  ## draw ten thousand objects into build/demo.png
	@mkdir -p build
	$(BIN)/heapscene demo -o build/demo.png

check: $(DEV)  ## format, lint, types, import layers, spelling; changes nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/codespell

# GPU tests share one process: each process that opens the driver costs memory and start-up time.
# What the tests emit is kept in a folder and given to both compilers of WGSL.
test: $(DEV) $(TINT) vulkan  ## every test that CI runs, GPU tests on the software driver included
	@rm -rf $(WGSL); export HEAPSCENE_WGSL=$(WGSL); \
	$(PYTEST) -n $(JOBS) -m "not gpu and not long"; cpu=$$?; \
	$(PYTEST) -m "gpu and not long"; gpu=$$?; \
	$(BIN)/python tools/accept_wgsl.py $(WGSL) && exit $$((cpu + gpu))

test-long: $(DEV) vulkan  ## random sequences at full length, with more examples
	HYPOTHESIS_PROFILE=long $(PYTEST) -n $(JOBS) --dist worksteal -m long

SECONDS ?= 600
fuzz: $(DEV)  ## damaged shader functions, for SECONDS: none may crash the compiler
	HEAPSCENE_FUZZ_SECONDS=$(SECONDS) $(PYTEST) -s tests/property/test_frontend_fuzz.py

fuzz-api: $(DEV) vulkan  ## wrong calls of the public API, for SECONDS: none may change a scene
	HEAPSCENE_FUZZ_SECONDS=$(SECONDS) $(PYTEST) -s tests/property/test_api_fuzz.py

ci: check test  ## what .ci/run runs

clean:  ## remove what make made
	rm -rf $(VENV) build .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(TINT): $(DEV) tools/install_tint.sh
	tools/install_tint.sh $(BIN)/python build/tint
	@touch $@

vulkan:
	@tools/ensure_vulkan.sh

$(PACKAGE): pyproject.toml tools/make_venv.sh
	tools/make_venv.sh $(PYTHON) $(VENV)
	$(BIN)/pip install -q -e .
	@touch $@

$(DEV): $(PACKAGE)
	$(BIN)/pip install -q --group dev
	@touch $@
