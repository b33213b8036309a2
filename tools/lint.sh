#!/usr/bin/env bash
# gofmt, go vet, staticcheck (from its own module, so that users' dependencies stay few), and the rules
# of internal/docstest: imports, lengths of files, widths of comments, pages.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
unformatted=$(gofmt -l .)
if [[ -n $unformatted ]]; then
  echo "gofmt these files (gofmt -w FILE):" >&2
  echo "$unformatted" >&2
  exit 1
fi
"$go" vet ./...
"$go" tool -modfile=tools/go.mod staticcheck ./...
tools=$PWD/tools/go.mod
for module in examples/*/go.mod systems/netcode/zones/go.mod demo/world/go.mod; do
  (cd "$(dirname "$module")" && "$go" vet ./... && "$go" tool -modfile="$tools" staticcheck ./...)
done
"$go" test ./internal/docstest
