# Everything sets itself up in .venv, one environment a Python version: make test PYTHON=python3.13
PYTHON ?= python3
VENV := .venv/$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
RUN := $(VENV)/bin/python -m
DATA := ../shared/data
# Processes of make test and make check; 0 runs the tests in one process, for pdb.
SEGSCORE_WORKERS ?= 2
# Each process takes half of the tests, so that neighbours share their reports and browser, and then helps the other one.
PYTEST := $(RUN) pytest -n $(SEGSCORE_WORKERS) --dist worksteal
CORE := CMakeLists.txt $(wildcard src/core/* src/bind/*)
# An editable installation knows which modules there are, so it is made anew when one is added, moved or removed.
MODULES := $(VENV)/modules-$(shell find src/segscore -name '*.py' | sort | cksum | cut -d ' ' -f 1)
# Folders whose tests start few processes and open no browser.
CHECKED := $(addprefix tests/,test_packages.py core segmentation scores analysis soft tables files boards)

# The extension under the sanitizers, in an environment of its own that borrows all other packages.
SANITIZED := build/sanitized/$(notdir $(VENV))
SANITIZED_TESTS := $(patsubst %,tests/%.py,core/test_load core/test_rewritten tables/test_tables tables/test_label_columns scores/test_boundaries \
	scores/test_edits scores/test_windows scores/test_labels soft/test_soft)

# Biome formats and checks JavaScript. npm installs it by name; the version is pinned, since each one formats a little differently.
BIOME_VERSION := 2.6.7
BIOME := build/biome-$(BIOME_VERSION)/node_modules/.bin/biome
PAGE := src/segscore/reports/page
SCRIPTS := $(PAGE)/core.js $(wildcard $(PAGE)/scripts/*.js docs/site/assets/*.js)

# The libraries of detectors, in an environment of their own.
PEERS := .venv/peers
PEERS_PYTHON ?= python3.11

# PyTorch, in an environment of its own: its wheel for Linux brings gigabytes of CUDA unless pip knows one for the CPU.
LEARNING := .venv/learning

.PHONY: web check-web headers claims demo docs reproduce test check test-cluster test-docs test-peers test-learning lint format types bench sanitize sanitize-extension wheel clean

demo:
	$(MAKE) --jobs=2 $(VENV)/package $(VENV)/dependencies $(VENV)/group-demo
	$(VENV)/bin/segscore demo --live -o segscore-demo.html

# What a leaderboard says about simulated studies, in minutes: false claims, power, coverage; and every sentence read back.
claims: $(VENV)/package $(VENV)/dependencies $(VENV)/group-test
	$(VENV)/bin/python examples/claims.py --write
	SEGSCORE_STUDIES=5000 $(RUN) pytest tests/boards/test_sentences.py

reproduce: $(VENV)/package $(VENV)/dependencies $(VENV)/group-test
	$(VENV)/bin/python examples/reproduce.py $(DATA)

test: $(VENV)/package $(VENV)/dependencies $(VENV)/group-test $(VENV)/group-peers
	$(PYTEST)

# The edit loop: the tests that find most faults soonest. No browser, no study, no command line, no waiting for Ctrl-C.
check: $(VENV)/package $(VENV)/dependencies $(VENV)/group-test $(VENV)/group-lint
	$(RUN) ruff check . && $(RUN) ruff format --check . && $(RUN) mypy
	SEGSCORE_EXAMPLES=5 $(PYTEST) -m 'not slow' $(CHECKED)

# The site, in build/site: every page, checked. It needs CPython 3.11 or newer.
docs: $(VENV)/package $(VENV)/dependencies $(VENV)/group-docs
	$(VENV)/bin/python docs/site/build.py

test-docs: docs
	SEGSCORE_SITE=1 $(RUN) pytest tests/site

test-cluster: $(VENV)/package $(VENV)/dependencies $(VENV)/group-cluster
	SEGSCORE_CLUSTER=1 PYSPARK_PYTHON=$(abspath $(VENV)/bin/python) $(RUN) pytest tests/cluster

# Detectors of five libraries, which exclude other versions of numpy and pandas than we test with. Without compiled
# loops they answer the same, and in seconds rather than minutes.
test-peers: $(PEERS)/package
	NUMBA_DISABLE_JIT=1 SEGSCORE_PEERS=1 $(PEERS)/bin/python -m pytest tests/peers

# The loss for PyTorch, and its examples; `make test` ignores both.
test-learning: $(LEARNING)/package
	SEGSCORE_LEARNING=1 $(LEARNING)/bin/python -m pytest -o addopts='-q --strict-markers --doctest-modules' tests/learning src/segscore/torch.py

lint: $(VENV)/group-lint $(BIOME) build/page.js
	$(RUN) ruff check . && $(RUN) ruff format --check . && $(VENV)/bin/clang-format --dry-run -Werror src/*/*.?pp tests/core/native/*
	$(BIOME) format src docs && $(BIOME) lint --error-on-warnings build/page.js docs/site/assets
	@! LC_ALL=C.UTF-8 grep -nE '.{121}' $(SCRIPTS) || { echo "These lines have more than 120 columns; break their texts and comments."; exit 1; }

format: $(VENV)/group-lint $(BIOME)
	$(RUN) ruff check --fix . && $(RUN) ruff format . && $(VENV)/bin/clang-format -i src/*/*.?pp tests/core/native/*
	$(BIOME) format --write src docs

$(BIOME):
	@command -v npm >/dev/null || { echo "npm is not on the PATH; make lint and make format install Biome with it, so install Node.js with npm."; exit 1; }
	npm install --prefix build/biome-$(BIOME_VERSION) --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error \
		@biomejs/biome@$(BIOME_VERSION)

# The scripts of a report share one scope, so they are checked as one, in the order of the page.
build/page.js: $(SCRIPTS) src/segscore/reports/writing.py
	mkdir -p build && (echo '(() => {' && cd $(PAGE) && cat $$(grep -o '[a-z/]*\.js' ../writing.py) && echo '})();') >$@

types: $(VENV)/package $(VENV)/dependencies $(VENV)/group-lint
	$(RUN) mypy && $(VENV)/bin/python tests/check_stubs.py

# Every header compiles alone: it includes what it uses.
headers: $(VENV)/group-build
	ls src/core/*.hpp src/bind/*.hpp | xargs -P 2 -I {} $(CXX) -std=c++20 -fsyntax-only -fvisibility=hidden -Wall -Wextra -Wconversion -Werror \
		-isystem "$$($(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
		-isystem "$$($(VENV)/bin/python -c 'import nanobind; print(nanobind.include_dir())')" -include {} -x c++ /dev/null

bench: $(VENV)/package $(VENV)/dependencies $(VENV)/group-bench
	$(VENV)/bin/python bench/bench.py

# The core for browsers, which every report carries. The file is part of the project, so that nobody else needs the
# compiler; check-web builds it again and compares the bytes.
WEB := src/segscore/reports/page/core.wasm
web: build/core.wasm
	cp $< $(WEB)

check-web: build/core.wasm
	cmp $< $(WEB) || { echo "$(WEB) is not built from src/core and src/web; run make web"; exit 1; }

build/core.wasm: pyproject.toml $(wildcard src/web/* src/core/*) | $(VENV)/group-web
	mkdir -p build && $(RUN) ziglang c++ -target wasm32-wasi -std=c++20 -Os -fexceptions -mexec-model=reactor -Wl,--strip-all -o $@ src/web/web.cpp

sanitize: build/native-tests
	./build/native-tests

# The sanitizers must be loaded before Python, and libstdc++ with them, since they intercept its exceptions. Tests that
# limit their memory expect an allocation to fail, which otherwise ends the process.
sanitize-extension: $(SANITIZED)/package
	LD_PRELOAD="$(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONMALLOC=malloc SEGSCORE_EXAMPLES=10 \
	$(SANITIZED)/bin/python -m pytest -p no:cacheprovider $(SANITIZED_TESTS)

wheel: $(VENV)/pip
	$(RUN) pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV) && $(RUN) pip install --quiet --upgrade 'pip>=25.1' && touch $@

$(VENV)/group-%: pyproject.toml | $(VENV)/pip
	$(RUN) pip install --quiet --group $* && touch $@

# Peers that want other versions of what we test with; their scores run with these.
$(VENV)/group-peers: pyproject.toml | $(VENV)/group-test
	$(RUN) pip install --quiet --no-deps --group peers && touch $@

$(MODULES): | $(VENV)/pip
	rm -f $(VENV)/modules-* && touch $@

# The core is compiled while what it works with is installed; bytecode comes with the first import.
$(VENV)/package: pyproject.toml $(CORE) $(MODULES) | $(VENV)/group-build
	$(RUN) pip install --quiet --no-deps --no-build-isolation --editable . -C cmake.define.SEGSCORE_WERROR=ON && touch $@

$(VENV)/dependencies: pyproject.toml | $(VENV)/group-build
	$(RUN) pip install --quiet --no-compile --no-build-isolation --only-deps '.[cli,report,study]' && touch $@

$(SANITIZED)/package: pyproject.toml $(CORE) $(shell find src/segscore -type f -not -name '*.pyc') | $(VENV)/dependencies $(VENV)/group-test
	$(PYTHON) -m venv --without-pip $(SANITIZED)
	site() { "$$1" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }; \
	own=$$(site $(SANITIZED)/bin/python) && site $(abspath $(VENV))/bin/python >"$$own/borrowed.pth" && \
	$(RUN) pip install --quiet --no-deps --no-build-isolation --upgrade --target "$$own" . -C build-dir=$(SANITIZED)/build \
	    -C cmake.build-type=RelWithDebInfo -C cmake.define.SEGSCORE_SANITIZE=ON
	touch $@

$(PEERS)/package: pyproject.toml $(CORE) $(MODULES)
	$(PEERS_PYTHON) -m venv $(PEERS) && $(PEERS)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(PEERS)/bin/python -m pip install --quiet --group detectors --group build
	$(PEERS)/bin/python -m pip install --quiet --no-build-isolation --editable '.[study]' && touch $@

$(LEARNING)/package: pyproject.toml $(CORE) $(MODULES)
	$(PYTHON) -m venv $(LEARNING) && $(LEARNING)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(LEARNING)/bin/python -m pip install --quiet --group learning --group build
	$(LEARNING)/bin/python -m pip install --quiet --no-build-isolation --editable . && touch $@

build/native-tests: tests/core/native/test_core.cpp $(wildcard src/core/*)
	mkdir -p build && $(CXX) -std=c++20 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Wconversion -Werror -o $@ $<
