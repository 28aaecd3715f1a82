# Two commands on a fresh machine with Python, make and a network: `make demo` and `make test`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow test-all lint bench docs images clean system-packages

demo: $(VENV)/.installed
	$(BIN)/trexreport demo -o trexreport-demo.html
	@echo "Open $(CURDIR)/trexreport-demo.html in a browser."

test: $(VENV)/.installed-tests system-packages
	$(BIN)/python -m pytest -n auto -m "not slow"

# What takes minutes: all real engines, long fuzzing, other Pythons, the oldest libraries.
test-slow: $(VENV)/.installed-tests system-packages
	$(BIN)/python -m pytest -n auto -m slow

test-all: test test-slow

lint: $(VENV)/.installed-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-tests
	$(BIN)/python benchmarks/graph_layout.py
	$(BIN)/python benchmarks/page.py
	$(BIN)/python benchmarks/lint.py
	$(BIN)/python benchmarks/comparison.py
	$(BIN)/python benchmarks/site.py

# The documentation as a site, in build/docs; broken links are errors.
docs: $(VENV)/.installed-tests
	$(BIN)/zensical build --strict

# The pictures of the documentation, with Chromium.
images: $(VENV)/.installed-tests system-packages
	$(BIN)/python docs/images/make_images.py

clean:
	rm -rf $(VENV) build dist trexreport-demo.html

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-tests: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed

# A browser and Graphviz for the tests that use them; without the right to install them those tests say so.
system-packages:
	@sh tests/install-system-packages.sh
