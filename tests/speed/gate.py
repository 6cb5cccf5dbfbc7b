#!/usr/bin/env python3
"""Instructions of this machine that each simulated instruction costs, counted by callgrind, against a limit.

Usage: tests/speed/gate.py FOLDER_OF_THE_PROBES

Wall-clock speed on a shared machine says little; the count is the same on every run of a build. Each loop is run with two
numbers of rounds and the difference taken, so start-up does not count. A new loop is a row: a program that prints
"instructions N" (simulated ones) and whose argument ROUNDS says how long it runs.
"""
import re
import shutil
import subprocess
import sys

# name, words of the command, rounds of the short and of the long run, limit (about 10 % above what it costs today)
LOOPS = [
    ("host integer loop, quantum 1 ms", ["host_probe", "crc", "ROUNDS", "1000"], 1, 11, 10.1),
    ("host integer loop, quantum 10 us", ["host_probe", "crc", "ROUNDS", "10"], 1, 11, 10.2),
    ("host memory loop, quantum 1 ms", ["host_probe", "matrix", "ROUNDS", "1000"], 1, 3, 13.1),
    ("host memory loop, quantum 10 us", ["host_probe", "matrix", "ROUNDS", "10"], 1, 3, 13.2),
]


def count(folder, words, rounds):
    """Instructions of this machine and simulated instructions of one run."""
    command = [f"{folder}/{words[0]}", *(str(rounds) if word == "ROUNDS" else word for word in words[1:])]
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                         capture_output=True, text=True)
    simulated = re.search(r"^instructions (\d+)$", run.stdout, re.MULTILINE)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not simulated or not collected:
        sys.exit(f"{' '.join(command)}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    return int(collected[1]), int(simulated[1])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if shutil.which("valgrind") is None:
        print("SKIPPED speed gate: valgrind is not installed")
        return 77
    slow = 0
    for name, words, short, long, limit in LOOPS:
        host_short, simulated_short = count(sys.argv[1], words, short)
        host_long, simulated_long = count(sys.argv[1], words, long)
        cost = (host_long - host_short) / (simulated_long - simulated_short)
        verdict = "" if cost <= limit else "  TOO SLOW"
        slow += cost > limit
        print(f"{name:36} {cost:7.3f} instructions each, limit {limit}{verdict}", flush=True)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
