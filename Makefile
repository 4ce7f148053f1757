# Each command makes its own environment: a machine needs python3, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

ifneq ($(wildcard ../shared/data),)
export ZOOADMM_DATA ?= $(abspath ../shared/data)
endif

# Compiled files are kept, whatever the shell says: tests start Python again and again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-laws test-clusters test-documents test-benchmarks test-reproduction reproduce lint docs check bench torture clean
.PHONY: test-optuna torture-optuna
APART := benchmarks documents laws
ADAPTERS := art gest optimagic pennylane qiskit tune xopt
.PHONY: $(ADAPTERS:%=test-%)
.PHONY: bench-s2mpj bench-coco bench-noise bench-structured bench-attacks

demo: $(VENV)/.demo
	$(BIN)/zooadmm demo

# The library: every room and every docstring. Some tests wait for a timeout: the third process has
# their core meanwhile.
test: $(VENV)/.test
	$(BIN)/python -m pytest -n 3 --dist loadgroup $(APART:%=--ignore=tests/%)

# What is claimed, on many problems: laws, the theorems' bounds, other solvers as judges.
test-laws: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist loadgroup tests/laws

# Ray and Dask, started here for real: the same bits, and the same answers to the same faults.
test-clusters: $(VENV)/.test
	$(BIN)/python -m pytest -m clusters tests/evaluation

# The pages and the examples, which are run, their links and the site.
test-documents: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist loadgroup tests/documents

# The program of the benchmark, its rows and its report.
test-benchmarks: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist loadgroup tests/benchmarks

# The paper's experiments: their tests, and the whole report (three hours of one core; the same command
# resumes). make test-reproduction ONLY=slice: reproduction/tests/test_slice.py alone, under a minute.
test-reproduction: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist loadgroup -c pyproject.toml \
		reproduction$(if $(ONLY),/tests/test_$(ONLY).py)

# Studies of Optuna on SQLite, Journal and PostgreSQL (Debian: apt-get install postgresql), 40 kills in
# all, and people who answer in optuna-dashboard (Debian: apt-get install chromium). make test has the
# sampler without them.
test-optuna: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 -m optuna tests/integrations/optuna

# An adapter in the real package, in an environment of its own: its tests and its page. xopt is the
# generator of gest in Xopt, apart because PyTorch comes with it.
$(ADAPTERS:%=test-%): test-%: .venv-%/.test
	.venv-$*/bin/python -m pytest tests/integrations/test_numbered_cells.py tests/integrations/test_$*.py \
		$(wildcard src/zooadmm/integrations/$*.py) $(if $(wildcard docs/how-to/$*.md), \
		"tests/documents/test_code.py::test_the_code_runs[docs/how-to/$*.md]")

.venv-%/.test: pyproject.toml
	$(PYTHON) -m venv .venv-$* || { $(PYTHON) -m pip install --user virtualenv && $(PYTHON) -m virtualenv .venv-$*; }
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-$*/bin/uv pip install --quiet --python .venv-$*/bin/python -e ".[test-$*]"
	touch $@

reproduce: $(VENV)/.test
	$(BIN)/zooadmm-reproduce --full

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The documentation as a site in site/, warnings as errors.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

check: lint test test-laws test-clusters test-documents test-benchmarks test-reproduction docs

# make bench ONLY="cox-kirc*/zoo*" reruns these cells of the suite; without it, what has no rows yet.
bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks --only "$(ONLY)"
ifndef ONLY
	$(BIN)/python -m benchmarks.machine
	$(BIN)/python -m benchmarks.authors
	$(BIN)/python -m benchmarks.applications
endif
	$(BIN)/python -m benchmarks.report

# The public benchmarks. QUICK=1: ours against the stored rows, what got worse is printed;
# QUICK=1 STORE=1: the stored rows made anew; without QUICK: the next piece of two hours of all of it.
bench-s2mpj bench-coco bench-noise bench-structured: bench-%: $(VENV)/.bench
	$(BIN)/python -m benchmarks.$* $(if $(QUICK),--quick) $(if $(STORE),--store)

# Black-box attacks beside those of ART, in its environment: image by image, what has no rows yet.
bench-attacks: .venv-art/.test
	.venv-art/bin/python -m benchmarks.attacks

# The fault table with its full counts (benchmarks/results/torture.txt), and 3,000 random problems with
# a judge (benchmarks/results/trust), all tried anew. Where it was stopped, python -m benchmarks.trust
# goes on from the rows that are there.
torture: $(VENV)/.test
	$(BIN)/python -m benchmarks.torture
	$(BIN)/python -m benchmarks.trust --again --minutes 300

# The kills with KILLS a row (200) among 16 workers: benchmarks/results/optuna/torture.txt. It goes on where it was
# stopped.
torture-optuna: $(VENV)/.test
	$(BIN)/python -m benchmarks.optuna_studies.torture

$(BIN)/uv:
	$(PYTHON) -m venv $(VENV) || { $(PYTHON) -m pip install --user virtualenv && $(PYTHON) -m virtualenv $(VENV); }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python

$(VENV)/.demo: $(BIN)/uv pyproject.toml
	$(INSTALL) -e ".[plot,applications]"
	touch $@

$(VENV)/.test: $(BIN)/uv pyproject.toml
	$(INSTALL) -e ".[test]" -e ./reproduction
	touch $@

$(VENV)/.bench: $(BIN)/uv pyproject.toml
	$(INSTALL) -e ".[bench]" -e ./reproduction
	touch $@

$(VENV)/.docs: $(BIN)/uv pyproject.toml
	$(INSTALL) -e ".[docs]"
	touch $@

$(VENV)/.lint: $(BIN)/uv pyproject.toml
	$(INSTALL) -e ".[lint]"
	$(INSTALL) --no-deps -e ./reproduction
	touch $@

clean:
	rm -rf $(VENV) $(ADAPTERS:%=.venv-%) site
