#!/usr/bin/env python3
"""Host instructions per simulated instruction (or memory access), against limits: instruction_cost.py BUILD_FOLDER TABLE...

A table has a line a loop:  name | program and arguments | small {n} | large {n} | limit
The program is run twice under callgrind, with either {n}, and prints `instructions N` (or `accesses N`), what it has
simulated; the difference of the two runs is the steady state, free of start-up. Wall-clock speeds depend on the machine and on who else
uses it; these numbers do not. Exit code 1 if a loop costs more than its limit. Lines whose program says which instruction
set its executors use (`x86-64-v3 instructions N`) may name it as a sixth field: others leave them out.
"""
import pathlib
import re
import shutil
import subprocess
import sys


def count(build, words):
    """(host instructions, simulated instructions, first word the program printed)"""
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", build / words[0], *words[1:]],
                         capture_output=True, text=True)
    host = re.search(r"Collected : (\d+)", run.stderr)
    simulated = re.search(r"^(?:(\S+) )?(?:instructions|accesses) (\d+)", run.stdout, re.M)
    if run.returncode != 0 or host is None or simulated is None:
        sys.exit(f"{' '.join(map(str, words))}: exit code {run.returncode}\n{run.stdout}\n{run.stderr}")
    return int(host[1]), int(simulated[2]), simulated[1]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if shutil.which("valgrind") is None:
        print("SKIPPED instruction cost: valgrind is not installed")
        return 0
    build, bad = pathlib.Path(sys.argv[1]).resolve(), 0
    for table in sys.argv[2:]:
        for line in pathlib.Path(table).read_text(encoding="utf-8").splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            name, command, small, large, limit, *isa = (field.strip() for field in line.split("|"))
            first = count(build, command.replace("{n}", small).split())
            if isa and first[2] != isa[0]:
                print(f"SKIPPED {name}: this machine runs the {first[2]} executors")
                continue
            second = count(build, command.replace("{n}", large).split())
            cost = (second[0] - first[0]) / (second[1] - first[1])
            print(f"{name:28} {cost:7.1f} host instructions per simulated one, limit {limit}")
            if cost > float(limit):
                print(f"{name}: too slow")
                bad += 1
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
