# make help says what there is. Each target sets up what it needs in .venv; make alone sets up everything.
PYTHON ?= python3
BIN := .venv/bin
CORE := .venv/.core
INSTALLED := .venv/.installed
WARM := .venv/.warm
UV := $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python -c constraints.txt

#: make demo       a sample table, its release and its reports, in demo/
#: make check      the daily loop: every test function for a tenth of a second; no servers, browsers, kills, nothing slow
#: make test       all tests, at most 40 examples of each property, 10 of slow ones
#: make test-core  the same without PostgreSQL and Spark
#: make test-deep  the same with ten times the examples, new ones in each run: hours
#: make lint       ruff and mypy
#: make bench      benchmarks beside the goals
#: make campaign   thousands of bad inputs, kills and promises judged by an outsider: an hour
#: make docs       the guide, as site/index.html
#: make pictures   the pictures of the documents, drawn anew

.PHONY: help setup java chromium demo check test test-core test-deep lint bench campaign docs pictures clean
setup: $(WARM)

help:
	@sed -n 's/^#: \(make [a-z-]*\) */\1\t/p' Makefile | expand -t 18

# What users get: enough for the demo. uv inside the venv: a cold install in seconds. Bytecode is compiled once, so that
# no later run pays for it.
$(CORE): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(UV) -e .
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m compileall -q src
	touch $(CORE)

# And what tests, engines and linters need.
$(INSTALLED): pyproject.toml constraints.txt | $(CORE)
	$(UV) -e '.[dev]'
	touch $(INSTALLED)

# All kernels, compiled once and kept. The demo does without: it compiles the few it needs.
$(WARM): $(INSTALLED)
	$(BIN)/python -m discreet.run.warm_up
	touch $(WARM)

demo: $(CORE)
	$(BIN)/discreet sample --directory demo --force
	cd demo && ../$(BIN)/discreet anonymize policy.yaml -o release --force
	$(BIN)/discreet verify demo/release
	@echo "to publish:          demo/release (data.csv, its page report.html, manifest and mapping)"
	@echo "for you, not others: demo/release.private/report.html"

# Spark needs a Java of 17 or later: Debian's, where there is none and root asks. PostgreSQL is Debian's if it is
# there, else the one from PyPI.
JAVA := $(if $(JAVA_HOME),$(JAVA_HOME)/bin/java,java)
java:
	@command -v $(JAVA) >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  echo "getting Java 17 from Debian, for Spark" && export DEBIAN_FRONTEND=noninteractive && apt-get -qq update && \
	  apt-get -qq install -y --no-install-recommends openjdk-17-jre-headless >/dev/null; } || \
	  echo "no Java here: tests of Spark will fail. Install Java 17, or run make test-core."

# A browser for the explorer's page: Debian's Chromium, where there is none and root asks.
chromium:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  echo "getting Chromium from Debian, for the explorer's page" && export DEBIAN_FRONTEND=noninteractive && apt-get -qq update && \
	  apt-get -qq install -y --no-install-recommends chromium fonts-dejavu-core >/dev/null; } || \
	  echo "no Chromium here: tests of the explorer's page will be SKIPPED. Install chromium."

# Tests of one file share a process, and so what is slow to make (tests/conftest.py says which begin). What Python makes
# of their text is kept, whatever the environment says: else each process makes it anew, for seven seconds.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
SIDE_BY_SIDE := -n auto --dist loadfile --no-loadscope-reorder
# Java has a process apart, at the same time: most of its minute is waiting. What it says comes last.
BESIDE := .java-tests.txt
test: setup java chromium
	@$(PYTEST) -m java tests/conformance tests/engines >$(BESIDE) 2>&1 & java=$$!; \
	$(PYTEST) $(SIDE_BY_SIDE) -m "not java"; others=$$?; \
	wait $$java; java=$$?; echo "Tests that start Java:"; cat $(BESIDE); rm -f $(BESIDE); \
	test $$others -eq 0 && test $$java -eq 0

# For the daily loop: every test function but what needs a server or a browser, kills, or is slow (tests/slow.txt); of each
# as many cases, and of each property as many examples, as a tenth of a second has room for (tests/budgets.py).
check: setup
	DISCREET_EXAMPLES=few $(PYTEST) $(SIDE_BY_SIDE) -m "not postgresql and not spark and not browser and not kills and not slow"
	@echo "Not run: servers, browsers, kills, what is slow, cases beyond a tenth of a second of each function (skipped), and"
	@echo "nine tenths of the examples. make test runs them."

test-core: setup
	$(PYTEST) $(SIDE_BY_SIDE) -m "not postgresql and not spark"
	@echo "Not run: tests marked postgresql or spark, which need a server or Java. make test gets both and runs them."

# Ten times the examples of every property, new ones in each run: hours. For changes of what computes.
test-deep: setup
	DISCREET_EXAMPLES=deep $(PYTEST) $(SIDE_BY_SIDE) -m "not postgresql and not spark"

lint: $(INSTALLED)
	$(BIN)/ruff check src tests benchmarks campaign
	$(BIN)/ruff format --check src tests benchmarks campaign
	$(BIN)/mypy

bench: setup
	$(BIN)/python -m benchmarks

# The guide, as pages that need neither a server nor a network: site/index.html.
docs: $(CORE)
	$(UV) -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "to read: site/index.html"

# The pictures of the documents, drawn anew from invented tables: the explorer's and those of reports.
pictures: setup chromium
	$(BIN)/python -m tests.explorer_page.pictures
	$(BIN)/python -m tests.guide_pictures

# Ten thousand bad inputs, kills at two hundred moments, ten thousand promises judged by an outsider, a thousand tables
# of visits judged by people, and a thousand chains of releases; COUNT and SEED choose others. What one finds does not keep the others from running.
COUNT ?= 10000
SEED ?= 1
campaign: setup
	failed=; \
	$(BIN)/python -m campaign --seed $(SEED) --count $(COUNT) || failed=yes; \
	$(BIN)/python -m tests.kills --seed $(SEED) --count 200 || failed=yes; \
	$(BIN)/python -m campaign.promises --seed $(SEED) --count $(COUNT) || failed=yes; \
	$(BIN)/python -m campaign.people --seed $(SEED) --count $$(($(COUNT) / 10)) || failed=yes; \
	$(BIN)/python -m campaign.chains --seed $(SEED) --count $$(($(COUNT) / 10)) || failed=yes; \
	test -z "$$failed"

clean:
	rm -rf .venv demo dist site .mypy_cache .ruff_cache .hypothesis
