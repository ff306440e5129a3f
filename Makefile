# Two commands do all set-up on a fresh machine: `make run` opens the explorer, `make test` checks everything.
# Needs Python 3.11 or newer; PYTHON=... picks one.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test lint unit browser chromium axe clean

run: $(VENV)/installed
	$(BIN)/python app.py

test: lint unit browser

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# One torch thread a worker: threads of several processes that wait for each other are slower than one each.
unit: $(VENV)/installed-dev
	OMP_NUM_THREADS=1 $(BIN)/pytest -m "not browser" -n auto

browser: $(VENV)/installed-dev chromium axe
	OMP_NUM_THREADS=1 $(BIN)/pytest -m browser -n 2

chromium: $(VENV)/installed-dev
	PYTHONPATH=. $(BIN)/python tests/browser/chromium.py

axe: $(VENV)/installed-dev
	$(BIN)/python tests/browser/axe.py

$(VENV)/installed: requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.txt
	$(BIN)/python -m pip install --quiet --requirement requirements-dev.txt
	touch $@

clean:
	rm -rf $(VENV) tests/browser/node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis
