# Tandem. `make` alone prints what there is.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
GO ?= go

.PHONY: help setup demo clip test browser-test lint fuzz bench bench-check soak conformance windows windows-check web release

help: ## print this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: ## install what the build and the tests need (Debian and Ubuntu; elsewhere it says what)
	@tools/setup.sh all

demo: ## build and run the demo (ARGS="-scene orbits" for its flags)
	@tools/setup.sh window
	$(GO) run ./demo $(ARGS)

clip: ## record docs/orbits.gif and docs/arena.gif anew: in virtual time, the same on every machine
	@tools/setup.sh window
	$(GO) run ./demo -scene orbits -headless -hz 3 -speed 2 -overlay=captions -size 400x200 -fps 12 -skip 14 -seconds 28 -record docs/orbits.gif
	$(GO) run ./demo duel -compare -headless -still -overlay=captions -seed 26 -send-hz 10 -latency 200ms -jitter 20ms -loss 0.15 -size 840x420 -fps 20 -skip 9 -seconds 16 -record docs/arena.gif

test: ## everything that must hold: build, lint, tests, race detector, wasm
	@tools/setup.sh all
	@tools/test.sh

lint: ## gofmt, go vet, staticcheck, the rules of internal/docstest
	@tools/setup.sh window
	@tools/lint.sh

browser-test: ## the demo's pages in a real browser: scenes, keys, matches
	@tools/setup.sh browser
	@tools/browser.sh

fuzz: ## run every fuzz target for FUZZTIME (default 10s) each; an input that fails stays in testdata/fuzz
	@tools/setup.sh window
	@tools/fuzz.sh

bench: ## measure, side by side with its peers in one run, and write docs/benchmarks.md
	@tools/setup.sh window
	@tools/bench.sh write

bench-check: ## measure again and compare the ratios with docs/benchmarks.md
	@tools/setup.sh window
	@tools/bench.sh check

soak: ## 64 players and 500 entities for three simulated minutes with faults: does anything grow? Ten thousand worlds of zones, and zones with a thousand players that cross and are killed: does anything have two owners?
	$(GO) test ./systems/netcode/internal/soak -v -count 1 -timeout 1h -bots 64 -entities 500 -duration 3m -seed 1
	$(GO) test -C systems/netcode/zones ./custody -run 'AtATime|ManyFaults' -v -count 1 -timeout 1h -rapid.checks 10000
	$(GO) test -C systems/netcode/zones . -run TestCrowdCrossesBorders -v -count 1 -timeout 8h -bots 250 -duration 60s
	$(GO) test -C systems/netcode/zones . -run TestCrashesLoseNothing -v -count 1 -timeout 2h -kills 500
	$(GO) test -C systems/netcode/zones . -run TestProcesses -v -count 1 -timeout 1h -process-bots 25

conformance: ## measure the netcode under every network condition and write docs/conformance.md, .html and the tables of docs/tuning.md
	$(GO) test ./systems/netcode/internal/conformance/report -run TestReport -v -timeout 1h -write
	$(GO) test ./systems/netcode/internal/conformance/rates -run TestTables -v -timeout 1h -write

windows: ## build the demo for Windows, by mingw: bin/demo.exe
	@tools/setup.sh windows
	@tools/windows.sh build

windows-check: ## try that program under wine: a window, keys, a server with a client; pictures in bin/windows
	@tools/setup.sh wine
	@tools/windows.sh check

web: ## build the demo for browsers, compressed: bin/web, for `demo server -web` and any server of files (QUICK=1: no brotli)
	@tools/web.sh

release: ## pack the demo for Linux, Windows and browsers with checksums into bin/release
	@tools/setup.sh window
	@tools/release.sh
