# Two commands on a fresh machine with Python, make and a network: `make demo` and `make test`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Node and npm come from the virtual environment too.
NPM := PATH="$(abspath $(BIN)):$$PATH" $(BIN)/npm --silent

# Compiled modules are kept, also where the machine forbids it: the tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

# What `make lint` runs, the longest first.
LINTS := lint-words lint-types lint-script lint-style lint-ci

.PHONY: demo test test-slow test-all lint $(LINTS) bench check-speed audit docs gallery images release clean system-packages

# An environment that could not be finished, as where Debian's python3-venv is missing, is made again.
.DELETE_ON_ERROR:

demo: $(VENV)/.installed
	@$(BIN)/trexreport demo -o trexreport-demo.html
	@$(BIN)/trexreport demo --sample resnet18-fp16-to-int8 -o trexreport-demo-int8.html
	@echo "Open $(CURDIR)/trexreport-demo.html and trexreport-demo-int8.html in a browser."

test: $(VENV)/.installed-tests node_modules/.installed system-packages
	$(NPM) test
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not engines"

# What takes minutes: the real engines beside a checkout, long fuzzing, other Pythons, the oldest libraries.
test-slow: $(VENV)/.installed-tests system-packages
	$(BIN)/python -m pytest -n auto --dist worksteal -m "slow or engines"

# One run: tests are collected, and what they share is made, once.
test-all: $(VENV)/.installed-tests node_modules/.installed system-packages
	$(NPM) test
	$(BIN)/python -m pytest -n auto --dist worksteal

# Two at a time; what each of them says is shown together, where make can do that (4.0 and later).
lint: $(VENV)/.installed-tests node_modules/.installed
	@$(MAKE) --no-print-directory -j 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync) $(LINTS)

lint-words:
	$(BIN)/python tests/language/check.py

lint-types:
	$(BIN)/mypy

lint-script:
	$(NPM) run lint

lint-style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint-ci:
	$(BIN)/zizmor --offline --quiet .github action.yml
	$(BIN)/hadolint Dockerfile

# The figures of docs/performance.md, in a quarter of an hour on a machine with nothing else to do.
bench: $(VENV)/.installed-tests system-packages
	$(BIN)/python benchmarks/performance.py

# By ratios, so that it holds on any machine.
check-speed: $(VENV)/.installed-tests
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/onnx_reading.py

# Known vulnerabilities of what is installed; needs a network that reaches the advisories.
audit: $(VENV)/.installed-tests
	$(BIN)/python -m pip install -qq --disable-pip-version-check pip-audit
	$(BIN)/python -m pip_audit --local --skip-editable

# The documentation as a site, in build/docs; broken links are errors.
docs: $(VENV)/.installed-tests
	$(BIN)/zensical build --strict

# What the project looks like: reports of all samples and the documentation, in build/gallery.
gallery: $(VENV)/.installed-tests system-packages
	$(BIN)/python gallery/make_gallery.py

# The pictures of the documentation, with Chromium.
images: $(VENV)/.installed-tests system-packages
	$(BIN)/python docs/images/make_images.py

# What a release publishes, in build/release; RELEASE_TAG in the environment is checked against the version.
release:
	$(PYTHON) ci/make_release.py

clean:
	rm -rf $(VENV) node_modules build dist trexreport-demo.html trexreport-demo-int8.html

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# -qq: pip warns of what it finds on the machine, such as an index that is configured twice; errors still show.
$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing trexreport into $(VENV): about a minute."
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-tests: pyproject.toml | $(VENV)/bin/python
	@echo "Installing trexreport and what its tests need into $(VENV): about two minutes."
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed

# What checks and tests the pages' script.
node_modules/.installed: package.json package-lock.json $(VENV)/.installed-tests
	$(NPM) ci
	@touch $@

# A browser and Graphviz for the tests that use them; without the right to install them those tests say so.
system-packages:
	@sh tests/install-system-packages.sh
