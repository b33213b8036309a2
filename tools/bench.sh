#!/usr/bin/env bash
# Measures everything side by side in one run: `bench.sh write` renews docs/benchmarks.md, `bench.sh check` compares with it.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
mode=${1:-write}
[[ $mode == write || $mode == check ]] || { echo "bench.sh write|check" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
beside=()
if command -v g++ >/dev/null; then
  g++ -O3 -march=native -std=c++17 -pthread -o "$work/peers" systems/bench/peers/peers.cpp
  beside+=(-peers "$work/peers")
else
  echo "no g++ on the PATH: without the peers in C++ (Debian: apt-get install g++)" >&2
fi
if [[ $("$go" env GOOS) == linux ]]; then
  # Frames need OpenGL, and the core must not.
  "$go" test -c -o "$work/frames" ./demo/internal/framebench
  beside+=(-peers "$work/frames -test.run=^TestFramePeer$ -serve")
else
  echo "frames of the stress scene are measured on Linux only" >&2
fi
"$go" test -c -o "$work/scalar" ./systems/interpolation/internal/kernel
beside+=(-peers "$work/scalar -test.run=^TestScalarPeer$ -serve")
"$go" test -c -o "$work/bench" ./systems/bench
measure=("$work/bench" -test.run '^TestMeasure$' -test.v -sizes 1000,10000,100000,1000000 -rounds 9 "${beside[@]}")
if [[ $mode == check ]]; then
  "${measure[@]}" -check docs/benchmarks.md
  exit
fi
browser=()
if command -v chromium >/dev/null; then
  "$go" -C tools/browser test -run '^$' -bench Frame -benchtime 1x . >"$work/browser" || { cat "$work/browser" >&2; exit 1; }
  browser=(-browser "$work/browser")
else
  echo "no chromium: without frames in a browser (tools/setup.sh browser installs it)" >&2
fi
"$go" test -run '^$' -bench 'Encode|Decode|Commit|Endpoint|Bits|At/default|Push' -benchtime 0.2s ./systems/netcode/internal/packet ./systems/netcode/internal/snapshot ./systems/netcode/interp >"$work/netcode"
"$go" test -run '^$' -bench 'SeekP95|Record' -benchtime 1x ./systems/netcode >>"$work/netcode"
"$go" test -run '^$' -bench Alone -benchtime 1x -timeout 1h ./systems/netcode/internal/capacity >"$work/server"
"${measure[@]}" -netcode "$work/netcode" -server "$work/server" "${browser[@]}" -page docs/benchmarks.md
