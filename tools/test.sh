#!/usr/bin/env bash
# Everything that must hold on every commit.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
step() { echo "--- $*"; }

# The core's packages, those that they need, and the files that are compiled with or without C.
core() {
  CGO_ENABLED=$1 "$go" list -deps -f '{{if not .Standard}}{{.ImportPath}} {{.GoFiles}} {{.CgoFiles}}{{end}}' ./ecs/... ./components/... ./systems/...
}

step "the core needs no C compiler, and everything builds for the browser"
pure=$(core 0)
if [[ $pure != "$(core 1)" ]]; then
  diff <(echo "$pure") <(core 1) >&2 || true
  echo "without C the core consists of other files, as above: it must be the same" >&2
  exit 1
fi
if grep -E 'go-gl/(gl|glfw)|/tandem/(render|demo)' <<<"$pure"; then
  echo "the core must not depend on the packages above" >&2
  exit 1
fi
# With the flags of tools/web.sh, so that each package is compiled once.
GOOS=js GOARCH=wasm "$go" build -trimpath -buildvcs=false -ldflags '-s -w' ./...

step "sizes of the programs for browsers"
tools/web.sh sizes
(cd tools && "$go" vet ./... && "$go" test ./...)

step "lint"
tools/lint.sh

# Lint has vetted the tests. Some tests wait for sockets: two more packages use the processors then.
test=("$go" test -vet=off -p $(($(nproc) + 2)))

# Every run draws the same random cases, so that a failure is the change's and can be repeated.
# RAPID_SEED=0 draws others.
export RAPID_SEED=${RAPID_SEED:-1}

step "tests"
"${test[@]}" ./...

step "modules of their own"
(cd systems/netcode/zones && "${test[@]}" ./...)
(cd demo/world && "${test[@]}" ./...)
# Xvfb is a display for the one with a window.
(cd examples/09-arche-model && "$go" test ./...)
(cd examples/04-ebitengine && xvfb-run --auto-servernum "$go" test ./...)

# These packages run on more than one goroutine, or hold unsafe pointers, which the race detector
# checks too. Servers that encode on several goroutines are in package capacity. One goroutine calls
# the rest of the netcode and of the matches, which would take twelve minutes.
# Package docstest reads the repository, and lint runs it already.
inner=$("$go" list ./internal/... | grep -v /docstest)
sockets=$("$go" list ./systems/netcode/transport/... | grep -v /linksim)

step "tests under the race detector"
export RAPID_CHECKS=25 # a quarter of the random cases: all of them have run above
"${test[@]}" -race -short ./ecs/... ./components/... $inner ./systems/interpolation/... ./systems/hierarchy/... ./systems/motion $sockets ./systems/netcode/agones ./systems/netcode/host/...
"${test[@]}" -race -short -run 'Worker|^TestReport$|Parallel|^Test(Conn|Listener)$' ./systems/netcode/internal/capacity ./systems/netcode/internal/conformance ./systems/netcode/internal/conformance/report ./systems/netcode/transport/linksim

step "tests of the core on wasm"
if command -v node >/dev/null; then
  GOOS=js GOARCH=wasm "${test[@]}" -short -exec "$("$go" env GOROOT)/lib/wasm/go_js_wasm_exec" ./components ./ecs $inner ./systems/interpolation/... ./systems/hierarchy/... ./systems/motion
else
  echo "no node on the PATH: built only"
fi

step "tests in a browser"
tools/browser.sh
