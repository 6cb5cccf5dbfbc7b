#!/usr/bin/env python3
"""The benchmark report: processor speeds, then whole frames.

Usage: bench/report.py [BUILD_FOLDER]   (default build/release)

Frames are timed as whole processes, start-up included; processor time, least of several runs, because machines are
shared. Frames per calibration unit (bench/simt_bench prints one) can be compared between machines.
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
RUNS = 5


def timed(words):
    """Processor and wall seconds of one run."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - begin)


def frame(gyre, label, scene, options, calibration):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "r.json"
        words = [gyre, "render", scene, "-q", "-o", f"{folder}/f.png", "--report", report, *options]
        runs = [timed(words) for _ in range(RUNS)]
        facts = json.loads(report.read_text())["simulated"]
    processor, wall = min(r[0] for r in runs), min(r[1] for r in runs)
    print(f"{label:34} {processor:7.3f} s processor {wall:7.3f} s wall  {facts['gpu_cycles'] / 1e6:8.2f} M GPU cycles  "
          f"{facts['warp_instructions'] / processor / 1e6:6.1f} M warp-instructions/s  "
          f"{facts['fragments'] / processor / 1e6:6.3f} M fragments/s  {processor * calibration:8.1f} M units")


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build/release").resolve()
    calibration = 0.0
    for program in ("host_bench", "simt_bench"):
        text = subprocess.run([build / "bench" / program], check=True, capture_output=True, text=True).stdout
        print(f"== {program}\n{text}")
        if match := re.search(r"calibration: ([\d.]+) M", text):
            calibration = float(match.group(1))
    print("== frames (start-up included)")
    gyre = build / "gyre"
    shared = pathlib.Path(os.environ.get("GYRE_SHARED_DIR", SOURCE.parent / "shared"))
    vase = shared / "scenes/cgltrace/vase.cgltrace"
    scenes = [("bunny 640x480", SOURCE / "scenes/bunny.obj", ["--size", "640x480"]),
              ("overlap", SOURCE / "scenes/overlap.json", []),
              ("shaders: texture 480x320", SOURCE / "scenes/gfx3d/texture.yaml", ["--backend", "gpu"]),
              ("shaders: diffuse 480x320", SOURCE / "scenes/gfx3d/diffuse.yaml", ["--backend", "gpu"])]
    if vase.exists():
        scenes.insert(0, ("vase 128x128", vase, ["--size", "128x128"]))
    else:
        print("vase: left out, ../shared is absent")
    for label, scene, options in scenes:
        for machine in ("tiny", "default", "wide"):
            frame(gyre, f"{label}, {machine}", scene, [*options, "--config", SOURCE / f"configs/{machine}.yaml"],
                  calibration)


if __name__ == "__main__":
    main()
