#!/usr/bin/env bash
# Everything that must hold on every commit.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
step() { echo "--- $*"; }

step "the core builds without a C compiler, and for the browser"
CGO_ENABLED=0 "$go" build ./...
GOOS=js GOARCH=wasm "$go" build ./...
if CGO_ENABLED=0 "$go" list -deps ./ecs/... ./components/... ./systems/... | grep -E 'go-gl/(gl|glfw)|/tandem/(render|demo)'; then
  echo "the core must not depend on the packages above" >&2
  exit 1
fi

step "lint"
tools/lint.sh

step "tests"
"$go" test ./...

# These packages run on more than one goroutine, or hold unsafe pointers, which the race detector
# checks too. One goroutine calls the rest of the netcode, which would take ten minutes.
# Package docstest reads the repository, and lint runs it already.
inner=$("$go" list ./internal/... | grep -v /docstest)

step "tests under the race detector"
export RAPID_CHECKS=25 # a quarter of the random cases: all of them have run above
"$go" test -race -short ./ecs/... ./components/... $inner ./systems/interpolation/... ./systems/hierarchy/... ./systems/motion ./systems/netcode/internal/conformance/... ./systems/netcode/transport/... ./systems/netcode/host/... ./demo/internal/play
"$go" test -race -short -run 'Example|Struct' ./systems/netcode

step "tests of the core on wasm"
if command -v node >/dev/null; then
  GOOS=js GOARCH=wasm "$go" test -short -exec "$("$go" env GOROOT)/lib/wasm/go_js_wasm_exec" ./components ./ecs $inner ./systems/interpolation/... ./systems/hierarchy/... ./systems/motion
else
  echo "no node on the PATH: built only"
fi
