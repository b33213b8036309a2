#!/usr/bin/env bash
# How smoothly is the arena seen in three processes? A host, and two clients at the articles' condition (200 ms +-10 %, 15 % loss), by the clock and without windows; then their traces are compared.
# A machine that has other things to do at the same time makes frames late: watch `uptime`. `jumpcheck.sh 40` plays for 40 seconds; more arguments go to the clients.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
seconds=${1:-40}
shift || true
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
"$go" build -o "$work/demo" ./demo
"$go" test -c -o "$work/jumpcheck" ./demo/internal/jumpcheck
"$work/demo" host -headless -still -listen 127.0.0.1:0 -seconds $((seconds + 3)) -trace "$work/host.csv" >"$work/host" 2>"$work/log" &
host=$!
until [[ -s $work/host ]] && link=$(grep -m1 -o 'tandem://[^ ]*' "$work/host"); do
  kill -0 "$host" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 0.1
done
line=(-latency 200ms -jitter 20ms -loss 0.15)
for n in 1 2; do
  "$work/demo" client -headless -still -connect "$link" -seed "$((10 * n))" "${line[@]}" -seconds "$seconds" -trace "$work/client-$n.csv" "$@" >"$work/said-$n" 2>&1 &
  clients[n]=$!
done
wait "${clients[@]}"
cat "$work"/said-*
wait "$host"
"$work/jumpcheck" -test.run '^TestTraces$' -test.v -traces "$work"
uptime
