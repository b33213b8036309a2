#!/usr/bin/env bash
# The demo for Windows, from Linux: `windows.sh build` writes bin/demo.exe, and `windows.sh check` tries it under wine on a display of
# its own: a window, keys, and a server with a client. It leaves pictures of the screen in bin/windows for you to look at.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
mode=${1:-build}
[[ $mode == build || $mode == check ]] || { echo "windows.sh build|check" >&2; exit 2; }
cc=x86_64-w64-mingw32-gcc
build() { GOOS=windows GOARCH=amd64 CGO_ENABLED=1 CC=$cc "$go" build "$@" ./demo; }

mkdir -p bin
build -o bin/demo.exe
echo "wrote bin/demo.exe"
[[ $mode == check ]] || exit 0

work=$(mktemp -d)
pictures=$PWD/bin/windows
mkdir -p "$pictures"
export WINEPREFIX=$work/prefix WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' XDG_RUNTIME_DIR=$work
trap 'wineserver -k 2>/dev/null || true; kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT

fail() { echo "$1" >&2; tail -n 20 "$work"/*.log >&2; exit 1; }
await() { # await FILE PATTERN: until a line of the file matches
  for _ in {1..300}; do
    grep -q -- "$2" "$1" 2>/dev/null && return
    sleep 0.1
  done
  fail "$1 has no line with: $2"
}
window() { # window NAME: waits for the window of that name, and gives it the keys
  for _ in {1..300}; do
    if xdotool search --onlyvisible --name "$1" windowfocus mousemove 500 250 2>/dev/null; then
      sleep 2
      return
    fi
    sleep 0.1
  done
  fail "no window is called $1"
}
picture() { import -window root "$pictures/$1.png"; echo "wrote bin/windows/$1.png"; }

Xvfb -displayfd 1 -screen 0 960x540x24 >"$work/display" 2>"$work/xvfb.log" &
await "$work/display" .
DISPLAY=:$(<"$work/display")
export DISPLAY
wineboot -i >"$work/boot.log" 2>&1
system=$WINEPREFIX/drive_c/windows/system32
[[ -e $system/bcryptprimitives.dll ]] || $cc -O2 -shared -o "$system/bcryptprimitives.dll" tools/processprng.c -ladvapi32

echo "--- a window and its keys, $(wine --version)"
wine bin/demo.exe -size 800x450 -dir "$work" >"$work/lanes.log" 2>&1 &
lanes=$!
window '^Tandem'
picture lanes
xdotool key i
await "$work/lanes.log" 'interpolation off'
xdotool key F12
await "$work/lanes.log" 'wrote .*lanes-1.png'
picture lanes-raw
xdotool key Escape
wait "$lanes" || fail "the demo ended with an error"

play() { # play NAME EXE SERVERFLAG...: a server and a client that runs, over one transport
  local name=$1 exe=$2 link client
  shift 2
  wine "$exe" server "$@" >"$work/$name-server.log" 2>&1 &
  await "$work/$name-server.log" 'tandem.*://'
  link=$(grep -m1 -o 'tandem[^ ]*://[^ ]*' "$work/$name-server.log" | tr -d '\r')
  wine "$exe" client -connect "$link" -size 800x450 >"$work/$name-client.log" 2>&1 &
  client=$!
  await "$work/$name-client.log" playing
  window 'Tandem arena, player'
  picture "$name"
  xdotool keydown w
  sleep 1.5
  xdotool keyup w key F3
  await "$work/$name-client.log" 'reconciliation off'
  picture "$name-after-w"
  xdotool key Escape
  wait "$client" || fail "the client ended with an error"
  grep frames "$work/$name-client.log"
}

echo "--- a server and a client, WebSocket"
play websocket bin/demo.exe -listen '' -websocket 127.0.0.1:0

echo "--- a server and a client, encrypted UDP"
udp=bin/demo.exe
if ! timeout 60 wine $udp server -listen 127.0.0.1:0 -seconds 0.1 >"$work/udp.log" 2>&1 && grep -q 'wsaioctl.*10045' "$work/udp.log"; then
  # Go switches off a report of unreachable networks on every socket, which Windows knows and wine 8.0 does not. The same
  # program with that one error ignored stands in for it here.
  echo "this wine lacks SIO_UDP_NETRESET: Go's call of it is ignored in a build for this check alone"
  file=$("$go" env GOROOT)/src/net/fd_windows.go
  sed 's/err = syscall.WSAIoctl(fd.pfd.Sysfd, windows.SIO_UDP_NETRESET/_ = syscall.WSAIoctl(fd.pfd.Sysfd, windows.SIO_UDP_NETRESET/' "$file" >"$work/fd_windows.go"
  echo "{\"Replace\": {\"$file\": \"$work/fd_windows.go\"}}" >"$work/overlay.json"
  udp=$work/demo.exe
  build -overlay "$work/overlay.json" -o "$udp"
fi
play udp "$udp" -listen 127.0.0.1:0
echo "everything ran; look at the pictures"
