#!/usr/bin/env python3
"""The benchmark report: processor speeds, then whole frames.

Usage: bench/report.py [BUILD_FOLDER]   (default build/release)

Frames are timed as whole processes, start-up included; processor time, least of several runs, because machines are
shared. Frames per calibration unit (bench/simt_bench prints one) can be compared between machines. The last part gives
ratios of frames that run in turn: caches on to off, and 32 cores to one, a warp-instruction.
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


def in_turn(gyre, scene, variants):
    """For each list of options: least processor and wall seconds, and what was simulated. One after the other, RUNS times."""
    runs, facts = [[] for _ in variants], [None] * len(variants)
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "r.json"
        for _ in range(RUNS):
            for i, options in enumerate(variants):
                runs[i].append(timed([gyre, "render", scene, "-q", "-o", f"{folder}/f.png", "--report", report, *options]))
                facts[i] = json.loads(report.read_text())["simulated"]
    return [(min(r[0] for r in run), min(r[1] for r in run), fact) for run, fact in zip(runs, facts)]


def frame(gyre, label, scene, options, calibration):
    [(processor, wall, facts)] = in_turn(gyre, scene, [options])
    print(f"{label:34} {processor:7.3f} s processor {wall:7.3f} s wall  {facts['gpu_cycles'] / 1e6:8.2f} M GPU cycles  "
          f"{facts['warp_instructions'] / processor / 1e6:6.1f} M warp-instructions/s  "
          f"{facts['fragments'] / processor / 1e6:6.3f} M fragments/s  {processor * calibration:8.1f} M units")


def caches_on_to_off(gyre, label, scene, options):
    (on, _, facts), (off, _, _) = in_turn(gyre, scene, [[*options, "--set", f"gpu.caches={c}"] for c in ("true", "false")])
    print(f"{label:34} caches on {on:6.3f} s, off {off:6.3f} s: {on / off:5.2f}; "
          f"{facts['warp_instructions'] / on / 1e6:6.1f} M warp-instructions/s  {facts['fragments'] / on / 1e6:6.3f} M fragments/s")


def many_cores_to_one(gyre, label, scene, options):
    """Cores of 4 warps of 4 lanes: one, and 2 clusters x 4 sockets x 4 cores."""
    shapes = [(1, 1, 1), (2, 4, 4)]
    for caches in ("true", "false"):
        variants = []
        for shape in shapes:
            knobs = dict(zip(("gpu.clusters", "gpu.sockets", "gpu.cores"), shape))
            knobs |= {"gpu.core.warps": 4, "gpu.core.threads": 4, "gpu.caches": caches}
            variants.append([*options, *(word for knob, value in knobs.items() for word in ("--set", f"{knob}={value}"))])
        one, many = [t / facts["warp_instructions"] * 1e9 for t, _, facts in in_turn(gyre, scene, variants)]
        print(f"{label:34} caches {caches:5}: 1 core {one:5.1f} ns a warp-instruction, 32 cores {many:5.1f}: {many / one:5.2f}")


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
    print("== ratios (start-up included)")
    tiny = ["--config", SOURCE / "configs/tiny.yaml"]
    for scene in ("vase", "evilskull", "carnival"):
        if vase.exists():
            caches_on_to_off(gyre, f"{scene} 256x256, tiny", vase.with_name(f"{scene}.cgltrace"), [*tiny, "--size", "256x256"])
    caches_on_to_off(gyre, "bunny 640x480, tiny", SOURCE / "scenes/bunny.obj", [*tiny, "--size", "640x480"])
    many_cores_to_one(gyre, "overlap", SOURCE / "scenes/overlap.json", [])
    many_cores_to_one(gyre, "bunny 640x480", SOURCE / "scenes/bunny.obj", ["--size", "640x480"])


if __name__ == "__main__":
    main()
