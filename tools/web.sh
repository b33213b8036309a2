#!/usr/bin/env bash
# The demo for browsers: `web.sh [FOLDER]` writes it into bin/web, or a folder, for `demo server -web` and for any server of files.
# QUICK=1 leaves brotli out, which takes minutes when the program has changed. `web.sh sizes` checks the sizes of the programs
# against demo/web/sizes.txt, and `web.sh record` writes that file.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
build() { GOOS=js GOARCH=wasm "$go" build -trimpath -buildvcs=false -ldflags '-s -w' -o "$1" "$2"; }
tool() { GOOS='' GOARCH='' "$go" -C tools run "$@"; }

if [[ ${1:-} == sizes || ${1:-} == record ]]; then
  mkdir -p bin/sizes
  build bin/sizes/arena.wasm ./demo/web
  build bin/sizes/scenes.wasm ./demo/web/scenes
  tool ./websize -go "$("$go" env GOVERSION)" -file "$PWD/demo/web/sizes.txt" -record="$([[ $1 == record ]] && echo true || echo false)" \
    "$PWD/bin/sizes/arena.wasm=2600000" "$PWD/bin/sizes/scenes.wasm=1900000"
  exit
fi

out=${1:-bin/web}
mkdir -p "$out"
build "$out/tandem.wasm" ./demo/web
cp demo/web/page/* "$("$go" env GOROOT)/lib/wasm/wasm_exec.js" "$out/"
chmod u=rw,go=r "$out"/*
# The page shows how much of the program has come. Servers send no size before compression.
printf '{"tandem.wasm": %d}\n' "$(wc -c <"$out/tandem.wasm")" >"$out/size.json"
for file in "$out"/*; do
  name=$(basename "$file")
  name=${name%.br}
  name=${name%.gz}
  [[ $name == tandem.wasm || $name == size.json || $name == wasm_exec.js || -e demo/web/page/$name ]] || rm -r "$file" # of an older page
done
tool ./compress ${QUICK:+-quick} "$(cd "$out" && pwd)"
echo "wrote $out"
