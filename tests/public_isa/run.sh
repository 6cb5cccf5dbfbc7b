#!/bin/sh
# run.sh GYRE RISCV_TESTS [SCRATCH]: builds the public ISA test programs and runs each: rv32 and rv64 on a SIMT lane of
# the bare device, rv64 on the host CPU. RISCV_TESTS is a checkout of riscv-tests with its submodule env. Prints what fails and
# passed/total a group; exit code 1 if a program fails that should not.
#
# On a lane ma_data must fault: the core has no misaligned data access (isa.md §1).
set -u
[ $# -ge 2 ] || { echo "usage: $0 GYRE RISCV_TESTS [SCRATCH]" >&2; exit 2; }
gyre=$(realpath "$1")
tests=$(realpath "$2")
scratch=${3:-$(mktemp -d)}
mkdir -p "$scratch"
here=$(dirname "$(realpath "$0")")
[ -d "$tests/isa/macros/scalar" ] || { echo "$2: not a checkout of riscv-tests" >&2; exit 2; }
[ -f "$tests/env/p/riscv_test.h" ] || { echo "$2: the submodule env is missing (git submodule update --init)" >&2; exit 2; }
status=0
total=0
passed=0

# compile ELF SOURCE ARCHITECTURE ABI FLAGS...
compile() {
  elf=$1 source=$2 march=$3 mabi=$4
  shift 4
  riscv64-unknown-elf-gcc "-march=$march" "-mabi=$mabi" -nostdlib -nostartfiles -static -mno-relax -mcmodel=medany \
    -Wl,--no-relax,--no-warn-rwx-segments "$@" -I"$here/../../abi" -I"$tests/isa/macros/scalar" \
    "$source" -o "$elf"
}

# on_lane XLEN ARCHITECTURE ABI SOURCE
on_lane() {
  compile "$elf" "$4" "$2" "$3" -I"$here" -Wl,-Ttext=0x80000000 || return 125
  timeout 60 "$gyre" run --device "$elf" --legacy -q --set gpu.clusters=1 --set gpu.sockets=1 --set gpu.cores=1 \
    --set "gpu.core.xlen=$1" --set gpu.core.isa_a=true --set gpu.core.isa_c=true
}
on_lane_32() { on_lane 32 rv32imafc_zicsr_zifencei ilp32f "$1"; }
on_lane_64() { on_lane 64 rv64imafdc_zicsr_zifencei lp64d "$1"; }

on_host() {
  compile "$elf" "$1" rv64imafdc_zicsr_zifencei lp64d -I"$here/host" -I"$tests/env" -T "$tests/env/p/link.ld" || return 125
  timeout 60 "$gyre" run --firmware "$elf" -q
}

# group NAME RUN: every program of isa/NAME with the function RUN.
group() {
  group_total=0
  group_passed=0
  for source in "$tests/isa/$1"/*.S; do
    name=$1-$(basename "$source" .S)
    elf=$scratch/$name.elf
    output=$($2 "$source" 2>&1)
    code=$?
    group_total=$((group_total + 1))
    if [ $code -eq 0 ]; then
      group_passed=$((group_passed + 1))
    elif [ $code -eq 125 ]; then
      echo "$name: does not build: $output"
      status=1
    elif [ "${name#*-}" = ma_data ] && [ "$2" != on_host ] && echo "$output" | grep -q "misaligned access"; then
      echo "$name: faults, as specified"
    else
      echo "$name: exit code $code $output"
      status=1
    fi
  done
  echo "$1: $group_passed/$group_total"
  total=$((total + group_total))
  passed=$((passed + group_passed))
}

for name in ui um ua uf uc; do group rv32$name on_lane_32; done
for name in ui um ua uf ud uc; do group rv64$name on_lane_64; done
for name in ui um ua uf ud uc mi si; do group rv64$name on_host; done
echo "all: $passed/$total"
exit $status
