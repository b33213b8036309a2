#!/usr/bin/env bash
# Installs what is missing for building and testing: `setup.sh window` for the demo, `setup.sh all` for the tests too,
# `setup.sh windows` to build for Windows, `setup.sh wine` to try that, `setup.sh browser` for the tests in a browser,
# `setup.sh proxy` for those behind nginx.
# Nothing is touched when all of it is there. As root it installs; otherwise by sudo; without either, or on another
# system than Debian and Ubuntu, it says what is needed.
set -euo pipefail
want=${1:-all}
go=${GO:-go}

if ! command -v "$go" >/dev/null; then
  echo "Tandem needs Go 1.25 or newer, and there is no '$go' on the PATH. Get it from https://go.dev/dl/ and try again." >&2
  exit 1
fi
version=$("$go" env GOVERSION 2>/dev/null || "$go" version | awk '{print $3}')
if [[ "$version" =~ ^go1\.([0-9]+) ]] && (( BASH_REMATCH[1] < 25 )); then
  echo "Tandem needs Go 1.25 or newer; '$go' is $version. Get a newer one from https://go.dev/dl/ and try again." >&2
  exit 1
fi

missing=()
need() { # need PACKAGE TEST...: the package is missing unless the test succeeds
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}
has() { command -v "$1"; }
lib() { pkg-config --exists "$1"; }
so() { ldconfig -p 2>/dev/null | grep -q "$1" || /sbin/ldconfig -p | grep -q "$1"; }

if [[ $want == window || $want == all ]]; then
  need gcc has gcc
  need libc6-dev test -e /usr/include/stdlib.h
  need pkg-config has pkg-config
  for pair in libgl-dev:gl libxcursor-dev:xcursor libxrandr-dev:xrandr libxinerama-dev:xinerama libxi-dev:xi libxxf86vm-dev:xxf86vm; do
    need "${pair%%:*}" lib "${pair##*:}"
  done
  need libgl1 so libGL.so.1
  need libegl1 so libEGL.so.1
  need libgl1-mesa-dri test -n "$(find /usr/lib -name 'swrast_dri.so' -o -name 'libgallium*' 2>/dev/null | head -1)"
fi
if [[ $want == all || $want == wine ]]; then
  need xvfb has Xvfb
  need xauth has xauth
  need xdotool has xdotool
fi
if [[ $want == windows || $want == wine ]]; then
  need gcc-mingw-w64-x86-64 has x86_64-w64-mingw32-gcc
fi
if [[ $want == wine ]]; then
  need wine64 test -n "$(find /usr/lib/wine /usr/bin /opt -name wine64 2>/dev/null | head -1)"
  need wine has wine
  need imagemagick has import
fi
if [[ $want == browser ]]; then # 400 MB, so it is asked for by name
  need chromium has chromium
fi
if [[ $want == proxy ]]; then # it serves port 80 from then on, so it is asked for by name
  need nginx-light test -x "$(command -v nginx || echo /usr/sbin/nginx)"
fi
[[ ${#missing[@]} == 0 ]] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "Missing for Tandem, by their Debian names: ${missing[*]}" >&2
  echo "Install your system's equivalents: a C compiler, pkg-config, OpenGL and X11 headers (Fedora: gcc mesa-libGL-devel" >&2
  echo "libX11-devel libXcursor-devel libXrandr-devel libXinerama-devel libXi-devel libXxf86vm-devel; macOS: the Xcode tools)." >&2
  exit 1
fi
as_root=()
if [[ $(id -u) != 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "Missing: ${missing[*]}. Ask an administrator to run: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
