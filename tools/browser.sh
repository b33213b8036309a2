#!/usr/bin/env bash
# The tests in a browser, where one is installed. They are a module of their own, for their dependencies.
set -euo pipefail
cd "$(dirname "$0")/browser"
go=${GO:-go}
if ! command -v chromium >/dev/null; then
  echo "no chromium: tools/setup.sh browser installs it"
  exit
fi
"$go" vet ./...
"$go" test -vet=off -count=1 ./...
