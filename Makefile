# taquilla: two commands are enough, `make run` and `make test`. `make help` lists the others.

CARGO ?= cargo
BIN := target/debug/taquilla
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help run test bench simulate lint postgres build

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: postgres build ## Start everything: private Postgres, demo stadium, simulated provider, server
	@exec $(BIN) dev $(ARGS)

test: postgres lint ## Everything that CI runs
	@echo "== tests (real Postgres, started by the tests themselves)"
	$(CARGO) test --workspace --all-targets
	$(CARGO) test --workspace --doc

lint: ## Format and clippy
	@echo "== format and lints"
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

bench: postgres ## Measure the engine beside the row-lock way, in one run
	$(CARGO) bench -p taquilla-benches

simulate: postgres ## The model with two faults; the long drills: 60 kills, the race, a stopped database
	$(CARGO) build -p taquilla-api -p taquilla-simulations
	target/debug/taquilla-simulate model --faults 2
	target/debug/taquilla-simulate all $(ARGS)

build:
	@echo "== building taquilla"
	$(CARGO) build -p taquilla-api --bin taquilla

postgres:
	@sh config/install-postgres.sh
