#!/bin/sh
# run.sh GYRE RISCV_TESTS [SCRATCH]: builds the public rv32 ISA test programs (a checkout of riscv-tests) for a SIMT lane
# and runs each on the bare device. Prints what fails and passed/total a group; exit code 1 if a program fails that
# should not. ma_data needs misaligned data access, which the core does not have (isa.md §1): it must fault.
set -u
gyre=$(realpath "$1")
tests=$(realpath "$2")
scratch=${3:-$(mktemp -d)}
here=$(dirname "$(realpath "$0")")
status=0
total=0
passed=0
for group in ui um ua uf uc; do
  group_total=0
  group_passed=0
  for source in "$tests"/isa/rv32$group/*.S; do
    name=$(basename "$source" .S)
    elf=$scratch/rv32$group-$name.elf
    riscv64-unknown-elf-gcc -march=rv32imafc_zicsr_zifencei -mabi=ilp32f -nostdlib -nostartfiles -static -mno-relax \
      -Wl,--no-relax,-Ttext=0x80000000,--no-warn-rwx-segments -I"$here" -I"$here/../../abi" -I"$tests/isa/macros/scalar" \
      "$source" -o "$elf" || { echo "rv32$group-$name: does not build"; status=1; continue; }
    output=$(timeout 60 "$gyre" run --device "$elf" --legacy -q --set gpu.clusters=1 --set gpu.sockets=1 --set gpu.cores=1 \
      --set gpu.core.isa_a=true --set gpu.core.isa_c=true 2>&1)
    code=$?
    group_total=$((group_total + 1))
    if [ $code -eq 0 ]; then
      group_passed=$((group_passed + 1))
    elif [ $name = ma_data ] && echo "$output" | grep -q "misaligned access"; then
      echo "rv32$group-$name: faults, as specified"
    else
      echo "rv32$group-$name: exit code $code $output"
      status=1
    fi
  done
  echo "rv32$group: $group_passed/$group_total"
  total=$((total + group_total))
  passed=$((passed + group_passed))
done
echo "all: $passed/$total"
exit $status
