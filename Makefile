# make demo | make test | make lint | make bench: each sets up what it needs in .venv.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
WARM := .venv/.warm

.PHONY: setup demo test lint bench clean
setup: $(WARM)

# uv inside the venv: a cold install in seconds. Bytecode is compiled once, so that no later run pays for it.
$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python -c constraints.txt -e '.[dev]'
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m compileall -q src
	touch $(INSTALLED)

# All kernels, compiled once and kept. The demo does without: it compiles the few it needs.
$(WARM): $(INSTALLED)
	@echo "compiling the kernels, two or three minutes once"
	$(BIN)/python -m discreet.warm_up
	touch $(WARM)

demo: $(INSTALLED)
	$(BIN)/discreet sample --directory demo --force
	cd demo && ../$(BIN)/discreet anonymize policy.yaml -o release --force
	$(BIN)/discreet verify demo/release
	@echo "release: demo/release/data.csv"
	@echo "report:  demo/release/report.html"

test: setup
	$(BIN)/python -m pytest -n auto

lint: $(INSTALLED)
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy

bench: setup
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv demo dist .mypy_cache .ruff_cache .hypothesis
