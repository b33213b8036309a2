#!/usr/bin/env bash
# Measures everything side by side in one run: `bench.sh write` renews docs/benchmarks.md, `bench.sh check` compares with it.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
beside=()
if command -v g++ >/dev/null; then
  g++ -O3 -march=native -std=c++17 -o "$work/peers" systems/bench/peers/peers.cpp
  beside=(-peers "$work/peers")
else
  echo "no g++ on the PATH: without the peers in C++ (Debian: apt-get install g++)" >&2
fi
"$go" build -o "$work/bench" ./systems/bench
case ${1:-write} in
  write) "$work/bench" "${beside[@]}" -page docs/benchmarks.md
         "$go" test -run '^$' -bench . -benchtime 0.2s ./systems/netcode/packet ./systems/netcode/snapshot ./systems/netcode/remote 2>/dev/null | grep -E '^(Benchmark|pkg)' ;;
  check) "$work/bench" "${beside[@]}" -check docs/benchmarks.md ;;
  *) echo "bench.sh write|check" >&2; exit 2 ;;
esac
