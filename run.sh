#!/usr/bin/env bash
# Installs what is missing, builds, and renders the default scene (or: ./run.sh SCENE [gyre render options]).
set -euo pipefail
cd "$(dirname "$0")"

tools/install_deps.sh
[ -f build/release/build.ninja ] || cmake --preset release >/dev/null
cmake --build --preset release

mkdir -p out
scene=${1:-scenes/bunny.obj}
[ $# -eq 0 ] || shift
build/release/gyre render "$scene" --size 640x480 -o out/frame.png --report out/report.json "$@"
echo "Picture: $PWD/out/frame.png"
echo "Report:  $PWD/out/report.json"
