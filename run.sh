#!/usr/bin/env bash
# Installs what is missing, builds, and renders the default scene (or: ./run.sh SCENE [gyre render options]).
set -euo pipefail
cd "$(dirname "$0")"

tools/install_deps.sh
[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
# Only what a picture needs; ./test.sh builds the rest.
cmake --build --preset release --target gyre device_vxbin player_firmware compute_firmware

mkdir -p out
scene=${1:-scenes/bunny.obj}
[ $# -eq 0 ] || shift
build/release/gyre render "$scene" --size 640x480 -o out/frame.png --report out/report.json "$@"
echo "Picture: $PWD/out/frame.png"
echo "Report:  $PWD/out/report.json"
