# taquilla: two commands are enough, `make run` and `make test`. `make help` lists the others.

CARGO ?= cargo
BIN := target/debug/taquilla
ARGS ?=
FUZZ_SECONDS ?= 5
SEED ?=

.DEFAULT_GOAL := help
.PHONY: help run test bench simulate lint postgres build dependencies check-api fuzz

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: postgres build ## Start everything: private Postgres, demo stadium, simulated provider, server
	@exec $(BIN) dev $(ARGS)

test: postgres lint dependencies ## Everything that CI runs
	@sh config/install-tools.sh localstripe nats-server nginx
	@echo "== tests (real Postgres, started by the tests themselves)"
	$(CARGO) test --locked --workspace --all-targets
	$(CARGO) test --locked --workspace --doc
	@$(MAKE) --no-print-directory check-api fuzz

lint: ## Format and clippy
	@echo "== format and lints"
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

dependencies: ## Licences and sources of every dependency, those that are banned, and the lock files
	@sh config/install-tools.sh cargo-deny
	@echo "== dependencies"
	$(CARGO) metadata --locked --format-version 1 >/dev/null
	$(CARGO) metadata --locked --format-version 1 --manifest-path simulations/fuzz/Cargo.toml >/dev/null
	target/tools/bin/cargo-deny --locked check bans licenses sources
	target/tools/bin/cargo-deny --locked --config deny.toml --manifest-path simulations/fuzz/Cargo.toml check bans licenses sources

check-api: postgres build ## Schemathesis against a real server, by its own OpenAPI document
	@sh config/install-tools.sh schemathesis
	@sh config/check-api.sh

fuzz: ## What anybody may send, for a few seconds a reader; FUZZ_SECONDS=600 for longer
	@sh config/fuzz.sh $(FUZZ_SECONDS)

bench: postgres ## Measure the engine beside the row-lock way, in one run
	$(CARGO) bench -p taquilla-benches

simulate: postgres ## The crowd for a million steps, the drills at full length, the model with two faults; SEED=7 repeats
	@sh config/install-tools.sh localstripe nats-server nginx
	$(CARGO) build -p taquilla-api -p taquilla-simulations
	target/debug/taquilla-simulate all $(if $(SEED),--seed $(SEED)) $(ARGS)
	target/debug/taquilla-simulate model --faults 2 $(if $(SEED),--seed $(SEED))

build:
	@echo "== building taquilla"
	$(CARGO) build -p taquilla-api --bin taquilla

postgres:
	@sh config/install-postgres.sh
