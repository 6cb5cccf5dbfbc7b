#!/usr/bin/env python3
"""Cycles against the quantum: quantum.py [GYRE [SCENE...]], the table of docs/timing.md.

Every scene is rendered on configs/default.yaml (--config FILE for another machine) in the approximate style and, loose, at
several quanta; figures are the cycles of the first and the difference of the others from them. The host's own waiting is
part of both.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

QUANTA = [("10 ns", "10ns"), ("100 ns", "100ns"), ("250 ns", "250ns"), ("1 us", "1us"), ("10 us", "10us"), ("100 us", "100us")]


def cycles(gyre, scene, config, setting):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "r.json"
        subprocess.run([gyre, "render", *scene.split(), "-q", "-o", pathlib.Path(folder) / "f.png", "--report", report, "--config",
                        config, "--set", setting], check=True)
        return json.loads(report.read_text())["simulated"]["gpu_cycles"]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("gyre", nargs="?", default=root / "build/release/gyre")
    arguments.add_argument("scenes", nargs="*", help="a path, or path and options in one word")
    arguments.add_argument("--config", default=root / "configs/default.yaml")
    options = arguments.parse_args()
    scenes = options.scenes or [f"{root}/scenes/quad.json", f"{root}/scenes/overlap.json",
                                f"{root}/scenes/torus.obj --size 256x256", f"{root}/scenes/bunny.obj --size 128x128"]
    print("| scene | approximate, cycles | " + " | ".join(name for name, _ in QUANTA) + " |")
    print("|---" * (len(QUANTA) + 2) + "|")
    for scene in scenes:
        settings = ["sim.timing=approximate"] + [f"sim.quantum={quantum}" for _, quantum in QUANTA]
        first, *rest = [cycles(options.gyre, scene, options.config, setting) for setting in settings]
        name, *more = scene.split()
        row = [" ".join([pathlib.Path(name).name, *more]), f"{first:,}"] + [f"{100 * (c - first) / first:+.1f} %" for c in rest]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
