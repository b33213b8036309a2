#!/usr/bin/env bash
# Packs the demo for Linux, for Windows (where mingw is installed: tools/setup.sh windows) and for browsers into bin/release, with
# checksums. Two runs give the same bytes. The programs' folders have the page beside them, so that `demo server -web` finds it.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
# The tag of this commit, or the newest version of the changelog and the commit.
version=$(git describe --tags --exact-match 2>/dev/null || echo "$(grep -om1 '^## v[0-9.]*' CHANGELOG.md | cut -c4-)-$(git rev-parse --short=12 HEAD)")
[[ -z $(git status --porcelain 2>/dev/null) ]] || version+=-changed
arch=$("$go" env GOARCH)
out=$PWD/bin/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tool() { "$go" -C tools run "$@"; }

unset QUICK
tools/web.sh
rm -rf "$out"
mkdir -p "$out"
stage() { # stage NAME: a folder with what each archive has
  mkdir "$work/$1"
  cp LICENSE README.md CHANGELOG.md "$work/$1/"
  cp -r bin/web "$work/$1/web"
}
build() { "$go" build -trimpath -buildvcs=false -ldflags '-s -w' -o "$1" ./demo; }

name=tandem-demo-$version-linux-$arch
stage "$name"
GOOS=linux CGO_ENABLED=1 build "$work/$name/demo"
tool ./pack -out "$out/$name.tar.gz" "$work/$name"

if command -v x86_64-w64-mingw32-gcc >/dev/null; then
  name=tandem-demo-$version-windows-amd64
  stage "$name"
  GOOS=windows GOARCH=amd64 CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc build "$work/$name/demo.exe"
  tool ./pack -out "$out/$name.zip" "$work/$name"
else
  echo "without Windows: x86_64-w64-mingw32-gcc is missing; tools/setup.sh windows installs it"
fi

name=tandem-demo-$version-web
stage "$name"
tool ./pack -out "$out/$name.tar.gz" "$work/$name"

tool ./pack -sums "$out/SHA256SUMS" "$out"/tandem-*
cat "$out/SHA256SUMS"
echo "without macOS, and without Linux on other processors than $arch: build those on such machines"
