# make demo: set up and run the main job.  make test: set up and run all tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Numba's cache does not see changes in the functions that a compiled function calls in other files.
# The tests give the directory the same name (tests/conftest.py).
export NUMBA_CACHE_DIR := $(CURDIR)/.cache/numba/$(shell LC_ALL=C; cat src/edgewise/_kernels/*.py src/edgewise/_kernels/*/*.py | sha256sum | cut -c1-16)

.PHONY: setup demo test slow quick fuzz lint docs benchmark clean

setup: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

demo: setup
	$(BIN)/edgewise demo

# Where the environment forbids bytecode, every process of the tests would first translate all it imports.
test slow: export PYTHONDONTWRITEBYTECODE :=

# Three workers on two cores: tests of terminals, browsers and processes mostly wait, a tenth of the time with two.
test: setup
	$(BIN)/python -m pytest --numprocesses 3 --dist worksteal

slow: setup
	$(BIN)/python -m pytest -m slow --numprocesses 2 --dist worksteal

# The experiments of the paper in three minutes, from nothing; fails if their results have not the shape they must have.
quick: setup
	rm -rf .cache/reproduced
	$(BIN)/edgewise reproduce all --quick --out .cache/reproduced

# Two thousand files from strangers, each of which must end in a result or a sentence; prints how they ended.
fuzz: setup
	cd tests && OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 ../$(BIN)/python -m fuzz --number 2000

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# The documentation as a site for the browser, .cache/site/index.html; fails if a link or a name leads nowhere.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

benchmark: setup
	$(BIN)/python benchmarks/step_time.py
	$(BIN)/python benchmarks/accuracy.py

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache
