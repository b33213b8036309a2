#!/usr/bin/env bash
# Runs every fuzz target of the repository for FUZZTIME each (default 10s); `fuzz.sh PATTERN` those whose package and name match.
# An input that fails stays in testdata/fuzz of its package, where every later test run tries it: commit it with the mend.
# Inputs that only reach new code stay in Go's build cache, and the next run begins with them.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
time=${FUZZTIME:-10s}
pattern=${1:-.}

# Only the packages that have targets are built. `go test -list` prints a package's targets and then the package.
zones=systems/netcode/zones # a module of its own
targets=
for module in . "$zones"; do
  packages=$(cd "$module" && grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u)
  [[ $module == . ]] && packages=$(grep -v "^./$zones/" <<<"$packages")
  listed=$(cd "$module" && "$go" test -list '^Fuzz' $packages)
  targets+=$(awk -v module="$module" '/^Fuzz/ { names[++n] = $1 } /^ok / { for (i = 1; i <= n; i++) print module, $2, names[i]; n = 0 }' <<<"$listed")$'\n'
done
targets=$(grep -E "$pattern" <<<"$targets" | grep . || true)
[[ -n $targets ]] || { echo "no fuzz target matches $pattern" >&2; exit 2; }

# Go shortens each input that reaches new code before it goes on, by up to a minute. A bound in seconds takes most of a
# short run: FuzzReplay then tries some ten inputs in 20 s, and with a bound in tries thousands.
failed=()
while read -r module package name; do
  echo "--- $package $name, $time"
  "$go" test -C "$module" -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 100x "$package" </dev/null || failed+=("$package $name")
done <<<"$targets"
echo "$(wc -l <<<"$targets") targets, ${#failed[@]} failed"
[[ ${#failed[@]} == 0 ]] || { printf 'failed: %s\n' "${failed[@]}" >&2; exit 1; }
