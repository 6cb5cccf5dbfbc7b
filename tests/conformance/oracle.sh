#!/usr/bin/env bash
# Judges the reference renderer with fresh cases of the oracle: oracle.sh TEST_PROGRAM WORK_FOLDER [SEED] [COUNT]
# Needs ../shared/oracle and its Debian packages; says SKIPPED otherwise.
set -euo pipefail
test_program=$1 work=$2 seed=${3:-1} count=${4:-20}
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
oracle=$source_dir/../shared/oracle

if [ ! -d "$oracle" ]; then
  echo "SKIPPED oracle families: needs ../shared/oracle, which is not part of the product"
  exit 0
fi
for package in libvulkan-dev mesa-vulkan-drivers glslang-tools; do
  if [ "$(dpkg-query -W -f='${db:Status-Status}' $package 2>/dev/null || true)" != installed ]; then
    echo "SKIPPED oracle families: install $package to run them"
    exit 0
  fi
done

mkdir -p "$work"
cmake -S "$oracle" -B "$work/build" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build" >/dev/null
cases=$work/cases-$seed-$count
if [ ! -f "$cases/done" ]; then
  python3 -B "$oracle/gen_cases.py" "$cases" --grid 16 --pot --seed "$seed" --count "$count"
  "$work/build/oracle" "$cases"/*.json --out-dir "$cases"
  touch "$cases/done"
fi
GYRE_ORACLE_CASES=$cases "$test_program" --run_test=conformance/more_cases
