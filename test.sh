#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests. Arguments go to CTest: ./test.sh -L unit
# GYRE_PRESET chooses the build (release, debug, asan). Without arguments everything but the label `slow` runs.
set -euo pipefail
cd "$(dirname "$0")"

preset=${GYRE_PRESET:-release}
tools/install_deps.sh
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset"

[ $# -gt 0 ] || set -- -LE slow
ctest --preset "$preset" -j2 "$@"
# What was left out must be seen: tests that could not run here say so with a line "SKIPPED".
grep -h "^SKIPPED" "build/$preset/Testing/Temporary/LastTest.log" 2>/dev/null | sort | uniq -c || true
