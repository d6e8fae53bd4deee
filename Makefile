# Leaf's verbs. `make help` lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null 2>&1 && $$p -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 3000

# Node.js comes with the environment; npm keeps what it fetches inside of it, and never writes a registry into a lock.
# Reflex would measure which registry is nearest; it is told to use the one that npm is configured for.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PORT
export REFLEX_USE_NPM := 1
export REFLEX_CHECK_LATEST_VERSION := 0
export REFLEX_TELEMETRY_ENABLED := false
export REFLEX_DIR := $(CURDIR)/$(VENV)/share/reflex
export npm_config_omit_lockfile_registry_resolved := true
export npm_config_cache := $(CURDIR)/$(VENV)/share/npm
export npm_config_update_notifier := false
export PYTHONUNBUFFERED := 1
# Whatever the shell says: a Leaf is several processes, and without bytecode each compiles 2,600 modules for itself.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help
help: ## List what can be made
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: $(VENV)/runtime ## Run Leaf: PORT=3000 by default; Ctrl-C ends everything
	@echo "Starting Leaf (the first start compiles the pages, which takes about half a minute) ..."
	@NPM_CONFIG_REGISTRY="$$(npm config get registry)" $(BIN)/python -m leaf preflight --pages && \
		REFLEX_BACKEND_ONLY=true exec $(BIN)/reflex run --env prod

.PHONY: dev
dev: $(VENV)/runtime ## Run Leaf with hot reload, pages and routes on two ports
	@$(BIN)/python -m leaf preflight
	@NPM_CONFIG_REGISTRY="$$(npm config get registry)" exec $(BIN)/reflex run --frontend-port $(PORT)

.PHONY: worker
worker: $(VENV)/runtime ## Run one more worker
	@exec $(BIN)/arq jobs.worker.WorkerSettings

# Parts that run at the same time share the cores; each runs, whatever the others come to, and says at its end what it found.
# The walks and the rest run one after the other: each of them fills the cores, and a walk waits for what people wait for.
AT_ONCE := $(MAKE) --no-print-directory -k $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

# Three processes run the tests that wait, two the walks, which compute. What fails among so many runs once more, alone
# and by name: a test that passes only then waits too little, or has found that something else came first, and is to be
# mended (CONTRIBUTING.md).
SERVICES := tests/acceptance tests/unit tests/test_layers.py tests/integration
WALKS := tests/browser --ignore tests/browser/test_gallery.py
MANY := $(BIN)/python -m pytest -q --no-loadscope-reorder
ALONE := || { [ $$? -eq 1 ] && echo "Once more, alone:" && $(BIN)/python -m pytest -v --last-failed --last-failed-no-failures none

.PHONY: quick
quick: $(VENV)/development aisdk ## Lint, check types and run the unit tests, in a minute and a half
	@$(AT_ONCE) -j2 check test-unit

.PHONY: test
test: $(VENV)/development browser nginx pgbouncer php aisdk ## Lint, check types and run all tests, in 20 to 35 minutes on two cores
	@failed=0; $(AT_ONCE) -j2 check test-browser || failed=1; $(MAKE) --no-print-directory test-services || failed=1; exit $$failed

.PHONY: test-unit
test-unit: $(VENV)/development aisdk ## Run the unit tests and those of the layers
	@$(BIN)/python -m pytest -n 2 -q tests/unit tests/test_layers.py

.PHONY: test-services
test-services: $(VENV)/development nginx pgbouncer php aisdk ## Run all tests but the walks
	@$(MANY) -n 3 $(SERVICES) $(ALONE) $(SERVICES); }

.PHONY: test-browser
test-browser: $(VENV)/development browser ## Walk through the product in a headless Chromium, and nothing else
	@$(MANY) -n 2 $(WALKS) $(ALONE) $(WALKS); }

.PHONY: check
check: $(VENV)/development ## Lint and check types
	@failed=0; for one in "ruff check ." "ruff format --check ." pyright; do $(BIN)/$$one || failed=1; done; exit $$failed

ROUNDS ?= 5
.PHONY: bench
bench: $(VENV)/development browser ## Measure how fast Leaf is: a table, and with OUT=file.json all values
	@$(BIN)/python -m tests.bench $(if $(OUT),--out $(OUT)) $(if $(ONLY),--only '$(ONLY)') --rounds $(ROUNDS)

MODEL ?= sandbox:sandbox-0
GENERATED = $(if $(FILES),--files $(FILES)) $(if $(SEED),--seed $(SEED))
.PHONY: eval
eval: $(VENV)/development ## Ask questions with known answers, of the sample and a generated Drive: MODEL=provider:name ONLY=regex FILES=300 SEED=1 OUT=file BEFORE=file; REPLAY=file judges an OUT again
	@$(BIN)/python -m tests.eval --model '$(MODEL)' $(if $(OUT),--out $(OUT)) $(if $(REPLAY),--replay $(REPLAY)) $(if $(ONLY),--only '$(ONLY)') $(if $(BEFORE),--before $(BEFORE)) $(if $(AT_A_TIME),--at-once $(AT_A_TIME)) $(GENERATED)

.PHONY: recall
recall: $(VENV)/development ## Index a generated Drive, and measure its search without a model: FILES=300 SEED=1 ONLY=regex
	@$(BIN)/python -m tests.eval --search $(if $(ONLY),--only '$(ONLY)') $(GENERATED)

.PHONY: docs
docs: $(VENV)/development ## Write docs/tools.md, docs/api.md, docs/drive-doctor.md, alembic/schema.sql and the schema of chats anew
	@$(BIN)/python -m tests.tools_doc
	@$(BIN)/python -m tests.chat_format_doc
	@$(BIN)/python -m tests.api_doc
	@$(BIN)/python -m tests.doctor_doc
	@$(BIN)/python -m tests.schema_doc

.PHONY: gallery
gallery: $(VENV)/development browser ## Take a picture of every page in every state: docs/gallery/, ONLY=regex for some, ONLY=doctor for failures of Drive
	@$(BIN)/python -m tests.gallery$(if $(filter doctor,$(ONLY)),.doctor,$(if $(ONLY), --only '$(ONLY)'))

.PHONY: test-gallery
test-gallery: $(VENV)/development browser ## Judge every scene of the gallery by axe-core, in both themes and at both widths: ONLY=name for some
	@$(BIN)/python -m pytest tests/browser/test_gallery.py $(if $(ONLY),-k '$(ONLY)')

# As root, on Linux: it mounts, and starts processes in namespaces. Layers are kept in .venv/share/image, 5 GB, or in IMAGE_FOLDER.
.PHONY: image-check
image-check: $(VENV)/development browser ## Build the container image without a container engine, start what deploy/compose.yaml names, and walk through it
	@$(BIN)/python -m tests.image

TRIALS ?= 100
SEED ?= 1
.PHONY: chaos
chaos: $(VENV)/development ## Break things on purpose while answers are written, or with ONLY=index while Drives are read: TRIALS=100 SEED=1 QUEUE=streaq
	@$(BIN)/python -m tests.chaos$(if $(filter index,$(ONLY)),.index) --trials $(TRIALS) --seed $(SEED) $(if $(QUEUE),--queue $(QUEUE))

WEB ?= 2
WORKERS ?= 2
ANSWERS ?= 20
FOLLOWERS ?= 5
.PHONY: scale
scale: $(VENV)/development nginx pgbouncer ## Start Leaf as for several machines and ask: WEB=2 WORKERS=2 ANSWERS=20 FOLLOWERS=5; FAULTS=regex (. for all) breaks things: TRIALS=100 SEED=1
	@$(BIN)/python -m tests.scale --web $(WEB) --workers $(WORKERS) --answers $(ANSWERS) --followers $(FOLLOWERS) $(if $(FAULTS),--faults '$(FAULTS)' --trials $(TRIALS) --seed $(SEED) $(if $(PREVIOUS),--previous $(PREVIOUS)))

TEXTS ?= 0
.PHONY: hostile
hostile: $(VENV)/development ## Measure how long one member waits while another sends hostile texts: ONLY=regex TEXTS=n
	@$(BIN)/python -m tests.hostile $(if $(ONLY),--only '$(ONLY)') --texts $(TEXTS)

.PHONY: migrate
migrate: $(VENV)/runtime ## Bring the database of DATABASE_URL up to date
	@$(BIN)/alembic upgrade head

.PHONY: secret
secret: ## Print a new LEAF_SECRET
	@$(PYTHON) -c 'import secrets; print(secrets.token_urlsafe(48))'

.PHONY: seal-key
seal-key: ## Print a new key for LEAF_SEAL_KEYS
	@$(PYTHON) -c 'import base64, os, time; print(time.strftime("k%Y%m%d:") + base64.urlsafe_b64encode(os.urandom(32)).decode())'

.PHONY: reseal
reseal: $(VENV)/runtime ## Seal stored tokens anew with the first of LEAF_SEAL_KEYS
	@$(BIN)/python -m leaf.db.seal

.PHONY: lock
lock: $(VENV)/uv ## Write the lock files anew from pyproject.toml
	@$(BIN)/uv pip compile pyproject.toml --universal --generate-hashes --quiet -o requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --group dev --universal --generate-hashes --quiet -c requirements.lock -o requirements-dev.lock

.PHONY: clean-data
clean-data: ## Remove the embedded services' data (.leaf/); Leaf must not be running
	@if [ -x $(BIN)/python ] && [ -d leaf ]; then $(BIN)/python -m leaf preflight --stopped; fi
	@rm -rf .leaf
	@echo "Removed .leaf/"

.PHONY: clean
clean: ## Remove the environment and everything compiled
	@rm -rf $(VENV) .web .states .pytest_cache .ruff_cache .hypothesis

# The browser of the tests: CHROMIUM_PATH, one on the PATH, Playwright's own, or Debian's package.
.PHONY: browser
browser: $(VENV)/development
	@$(BIN)/python -m tests.chromium

# The proxy of the tests: NGINX_PATH, one of this machine, or Debian's package, unpacked and not installed.
.PHONY: nginx
nginx: $(VENV)/development
	@$(BIN)/python -m tests.nginx

# The pooler of the tests: PGBOUNCER_PATH, one of this machine, or Debian's package, unpacked and not installed.
.PHONY: pgbouncer
pgbouncer: $(VENV)/development
	@$(BIN)/python -m tests.pgbouncer

# The PHP that runs the guide to signing: PHP_PATH, one of this machine, or Debian's package, unpacked and not installed.
.PHONY: php
php: $(VENV)/development
	@$(BIN)/python -m tests.php

# The packages with which the tests are clients of the AI SDK.
.PHONY: aisdk
aisdk: tests/aisdk/node_modules/.package-lock.json

tests/aisdk/node_modules/.package-lock.json: tests/aisdk/package-lock.json | $(VENV)/development
	@echo "Installing the AI SDK for the tests ..."
	@cd tests/aisdk && npm ci --no-audit --no-fund --silent
	@touch $@

$(VENV)/uv:
	@test -n "$(PYTHON)" || { echo "Leaf needs Python 3.11 or later with venv."; exit 1; }
	@echo "Creating the environment in $(VENV)/ with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.9,<1"
	@touch $@

$(VENV)/runtime: requirements.lock | $(VENV)/uv
	@if [ ! -e $(VENV)/development ] || [ requirements-dev.lock -nt $(VENV)/development ]; then \
		echo "Installing Leaf's packages ..."; \
		$(BIN)/uv pip install --python $(BIN)/python --require-hashes -r requirements.lock; \
	fi
	@touch $@

$(VENV)/development: requirements-dev.lock | $(VENV)/uv
	@echo "Installing Leaf's packages and those of the tests ..."
	@$(BIN)/uv pip install --python $(BIN)/python --require-hashes -r requirements-dev.lock
	@touch $@ $(VENV)/runtime
