#!/usr/bin/env python3
"""Write the project's own conformance cases: draw lists, five or more a family.

The pictures beside them (NAME.png) come from an independent Vulkan renderer and are committed with the cases;
run this only to add or change cases, then render the pictures again (docs/conformance.md).
Vertices land on the 1/16 pixel grid, so that renderers with 4 to 8 sub-pixel bits agree on coverage.
"""
import argparse
import base64
import json
import math
import pathlib
import random

COMPARE = ["never", "less", "equal", "lequal", "greater", "notequal", "gequal", "always"]
STENCIL = ["keep", "zero", "replace", "incr_clamp", "decr_clamp", "invert", "incr_wrap", "decr_wrap"]
FACTOR = ["zero", "one", "src_color", "one_minus_src_color", "dst_color", "one_minus_dst_color", "src_alpha",
          "one_minus_src_alpha", "dst_alpha", "one_minus_dst_alpha", "const_color", "one_minus_const_color",
          "const_alpha", "one_minus_const_alpha", "src_alpha_saturate"]
LOGIC = ["clear", "and", "and_reverse", "copy", "and_inverted", "noop", "xor", "or", "nor", "equiv", "invert",
         "or_reverse", "copy_inverted", "or_inverted", "nand", "set"]
WRAP = ["clamp", "repeat", "mirror", "border"]


class Canvas:
    """One case under construction: pixel coordinates in, clip-space vertices out."""

    def __init__(self, rng, width, height, clear=(0, 0, 0, 1)):
        self.rng, self.width, self.height = rng, width, height
        self.case = {"width": width, "height": height, "clear": {"color": list(clear), "depth": 1, "stencil": 0},
                     "draws": []}

    def grid(self, value):
        return round(value * 16) / 16

    def at(self, x, y, z=0.25, w=1.0, color=None, uv=None):
        x, y = self.grid(x), self.grid(y)
        vertex = {"pos": [round((2 * x / self.width - 1) * w, 9), round((2 * y / self.height - 1) * w, 9),
                          round(z * w, 9), w]}
        if color:
            vertex["color"] = [round(c, 7) for c in color]
        if uv:
            vertex["uv"] = [round(c, 7) for c in uv]
        return vertex

    def box(self, x0, y0, x1, y1, z=0.25, color=None):
        corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y0), (x1, y1), (x0, y1)]
        return [self.at(x, y, z, color=color) for x, y in corners]

    def shard(self, z, color, spread=0.45):
        """A random triangle; z is a number or None for a slope."""
        cx, cy = self.rng.uniform(0.1, 0.9) * self.width, self.rng.uniform(0.1, 0.9) * self.height
        return [self.at(cx + self.rng.uniform(-spread, spread) * self.width,
                        cy + self.rng.uniform(-spread, spread) * self.height,
                        self.rng.uniform(0.05, 0.95) if z is None else z, color=color) for _ in range(3)]

    def colour(self, alpha=None):
        """Whole 1/255 steps, with the extremes often."""
        steps = [self.rng.choice([0, 255, self.rng.randrange(256), self.rng.randrange(256)]) / 255 for _ in range(4)]
        if alpha is not None:
            steps[3] = alpha
        return steps

    def draw(self, vertices, **state):
        self.case["draws"].append({"vertices": vertices, **state})


def fill(rng, n):
    c = Canvas(rng, 64, 48)
    vertices, index = [], 0
    if n % 3 == 0:  # a jittered mesh: every pixel of it exactly once
        step = [3, 5.5, 8][n // 3 % 3]
        xs, ys = int(56 / step), int(40 / step)
        point = {(i, j): (4 + i * step + rng.uniform(-.2, .2) * step, 4 + j * step + rng.uniform(-.2, .2) * step)
                 for i in range(xs + 1) for j in range(ys + 1)}
        tris = []
        for i in range(xs):
            for j in range(ys):
                a, b, d, e = point[i, j], point[i + 1, j], point[i + 1, j + 1], point[i, j + 1]
                tris += [(a, b, d), (a, d, e)] if rng.random() < 0.5 else [(a, b, e), (b, d, e)]
    elif n % 3 == 1:  # a fan round a point
        rim = [(32 + 22 * math.cos(t) + rng.random(), 24 + 21 * math.sin(t) + rng.random())
               for t in sorted(rng.uniform(0, 6.28) for _ in range(17))]
        tris = [((32.5, 24.5), rim[i], rim[(i + 1) % len(rim)]) for i in range(len(rim))]
    else:  # slivers, degenerate and off-screen triangles
        spot = lambda: (rng.uniform(-20, 84), rng.uniform(-20, 68))
        tris = [(spot(), spot(), spot()) for _ in range(14)]
        p = spot()
        tris += [(p, p, spot()), (p, (p[0] + 4, p[1] + 2), (p[0] + 8, p[1] + 4))]
    for tri in tris:
        index += 1
        colour = [index % 256 / 255, index * 37 % 256 / 255, index * 101 % 256 / 255, 1]
        if rng.random() < 0.5:
            tri = (tri[0], tri[2], tri[1])
        vertices += [c.at(x, y, color=colour) for x, y in tri]
    c.draw(vertices)
    if n % 2:
        c.draw(c.box(2, 2, 62, 46), mode="flat", flatColor=[40 / 255, 8 / 255, 0, 0], colorMask="rgb",
               blend={"srcRGB": "one", "dstRGB": "one"}, scissor=[7, 5, 33, 29])
    return c.case


def depth(rng, n):
    c = Canvas(rng, 64, 64)
    levels = [k / 16 for k in range(1, 16) if k != 8]
    for _ in range(5):
        x, y = rng.randrange(40), rng.randrange(40)
        c.draw(c.box(x, y, x + 24, y + 20, rng.choice(levels), c.colour(1)), depth={"func": "always", "write": True})
    c.draw([v for _ in range(6) for v in c.shard(rng.choice(levels), c.colour(1))],
           depth={"func": COMPARE[n % 8], "write": n % 2 == 0})
    c.draw([v for _ in range(5) for v in c.shard(None, c.colour(1))],
           depth={"func": COMPARE[(n * 3 + 1) % 8], "write": True})
    return c.case


def stencil(rng, n):
    c = Canvas(rng, 64, 64)
    c.case["clear"]["stencil"] = rng.choice([0, 1, 128, 255])
    face = lambda **k: {"func": rng.choice(COMPARE[1:]), "ref": rng.randrange(256),
                        "compareMask": rng.choice([255, 15, rng.randrange(256)]),
                        "writeMask": rng.choice([255, 240]), "fail": rng.choice(STENCIL),
                        "zfail": rng.choice(STENCIL), "zpass": rng.choice(STENCIL), **k}
    for ref in (1, 130, 255):
        mark = {"func": "always", "ref": ref, "zpass": "replace"}
        c.draw(c.shard(0.5, c.colour(1)) + c.shard(0.4, c.colour(1)),
               stencil={"front": mark, "back": dict(mark, ref=ref ^ 85)})
    for k in range(4):
        c.draw([v for _ in range(4) for v in c.shard(rng.choice([0.3, 0.45, 0.7]), c.colour(1))],
               frontFace=["ccw", "cw"][k % 2], depth={"func": "less", "write": k % 2 == 1},
               stencil={"front": face(), "back": face()})
    c.draw(c.box(0, 0, 64, 64), mode="flat", flatColor=[0, 0, 0, 1])
    for bit in range(8):  # shows the stencil value in the colour
        test = {"func": "equal", "ref": 1 << bit, "compareMask": 1 << bit}
        c.draw(c.box(0, 0, 64, 64), mode="flat", flatColor=[(36 << bit % 3) / 255] * 4, colorMask="rgb"[bit // 3],
               blend={"srcRGB": "one", "dstRGB": "one"}, stencil={"front": test, "back": test})
    return c.case


def tiles(c, paint):
    """Draws a 4x4 board of colours, then calls paint(tile, vertices) for each of its tiles."""
    def board(t):
        x, y = t % 4 * 12, t // 4 * 12
        return [v for dx in (0, 6) for dy in (0, 6)
                for v in c.box(x + dx, y + dy, x + dx + 6, y + dy + 6, color=c.colour())]
    c.draw([v for t in range(16) for v in board(t)])
    for t in range(16):
        paint(t, board(t))


def blend(rng, n):
    c = Canvas(rng, 48, 48)

    def paint(t, vertices):
        k = n * 16 + t
        c.draw(vertices, blend={"srcRGB": FACTOR[k % 15], "dstRGB": FACTOR[k * 7 // 3 % 15],
                                "opRGB": ["add", "sub", "revsub", "min", "max"][k % 5 if k % 4 == 0 else k % 3],
                                "srcA": FACTOR[k * 4 % 15], "dstA": FACTOR[(k * 11 + 2) % 15],
                                "opA": ["add", "sub", "revsub"][k // 3 % 3],
                                "constant": [round(v, 7) for v in c.colour()]})
    tiles(c, paint)
    return c.case


def logic(rng, n):
    c = Canvas(rng, 48, 48)

    def paint(t, vertices):
        state = {"logicOp": LOGIC[(t + n * 5) % 16]}
        if t % 3 == 1:
            state["colorMask"] = rng.choice(["r", "ga", "rgb", "a", "rb"])
        if t % 4 == 3:
            state["scissor"] = [t % 4 * 12 + 2, t // 4 * 12 + 3, 7, 5]
        c.draw(vertices, **state)
    tiles(c, paint)
    return c.case


def image(rng, width, height, level):
    texels = bytearray()
    for y in range(height):
        for x in range(width):
            texels += bytes((255 * x // max(1, width - 1) ^ rng.randrange(24), 255 * y // max(1, height - 1),
                             (60 * level + rng.randrange(50)) & 255, 255 - rng.randrange(90)))
    return base64.b64encode(bytes(texels)).decode()


def texture_state(rng, filter_, mip, wrap_u, wrap_v, size):
    width, height = size
    state = {"width": width, "height": height, "data": image(rng, width, height, 0), "filter": filter_, "mip": mip,
             "wrapU": wrap_u, "wrapV": wrap_v, "lod": "fine"}
    if "border" in (wrap_u, wrap_v):
        state["borderColor"] = rng.choice([[0, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]])
    if mip != "none":
        state["mips"] = []
        while (width, height) != (1, 1):
            width, height = max(1, width // 2), max(1, height // 2)
            state["mips"].append(image(rng, width, height, len(state["mips"]) + 1))
    return state


def texture(rng, n):
    c = Canvas(rng, 96, 48, (0.2, 0.2, 0.2, 1))
    for k in range(2):
        combo = n * 2 + k
        filter_, mip = ["nearest", "linear"][combo % 2], ["none", "nearest", "linear"][combo // 2 % 3]
        size = rng.choice([(16, 16), (8, 8), (32, 8), (4, 16)])
        state = texture_state(rng, filter_, mip, WRAP[combo % 4], WRAP[(combo * 3 + 1) % 4], size)
        density = 2.0 ** (rng.choice([-2, -1, 0, 1]) + rng.choice([0.2, 0.7]))  # texels a pixel
        turn, spin = rng.uniform(0, 6.28), rng.uniform(0, 6.28)
        cx, cy = 24 + 48 * k + 0.3, 24.4
        corners = []
        for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            x = c.grid(cx + 20 * (dx * math.cos(turn) - dy * math.sin(turn)))
            y = c.grid(cy + 20 * (dx * math.sin(turn) + dy * math.cos(turn)))
            u = size[0] * 0.4 + density * ((x - cx) * math.cos(spin) - (y - cy) * math.sin(spin))
            v = size[1] * 0.6 + density * ((x - cx) * math.sin(spin) + (y - cy) * math.cos(spin))
            corners.append(c.at(x, y, color=c.colour(), uv=(u / size[0], v / size[1])))
        c.draw([corners[i] for i in (0, 1, 2, 0, 2, 3)], mode="modulate" if n % 3 == 2 else "texture", texture=state,
               scissor=[48 * k + 1, 1, 46, 46])
    return c.case


def persp(rng, n):
    c = Canvas(rng, 64, 64, (0.1, 0.1, 0.2, 1))
    vertices = []
    if n % 2 == 0:  # a floor that runs away from the eye
        for i in range(4):
            for j in range(3):
                def corner(a, b):
                    w = 1 + 1.5 * b
                    return c.at(32 + (a - 2) * 24 / w, 12 + 50 / w, 1 - 1 / w * 0.9, round(w, 6),
                                color=[a / 4, b / 3, 0.5, 1], uv=(a, b))
                q = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]
                vertices += [q[k] for k in (0, 1, 2, 0, 2, 3)]
    else:
        for _ in range(4):
            cx, cy = rng.uniform(12, 52), rng.uniform(12, 52)
            for m in range(3):
                angle = 2.1 * m + rng.uniform(-.5, .5)
                vertices.append(c.at(cx + 26 * math.cos(angle), cy + 26 * math.sin(angle), rng.random(),
                                     round(2 ** rng.uniform(-2, 3), 6), color=c.colour(),
                                     uv=(rng.uniform(-1, 2), rng.uniform(-1, 2))))
    state = {"mode": ["color", "texture", "modulate"][n % 3], "depth": {"func": "less", "write": True}}
    if n % 3:
        state["texture"] = texture_state(rng, "linear", "none", "repeat", "mirror", (16, 16))
    c.draw(vertices, **state)
    return c.case


def clip(rng, n):
    c = Canvas(rng, 64, 64, (0.1, 0.2, 0.1, 1))
    near, far, scale = 0.5, 20.0, 1.6
    vertices = []
    for _ in range(5):
        for k in range(3):  # some vertices lie behind the eye or beyond the far plane
            z = rng.choice([rng.uniform(-2, near), rng.uniform(near, 8), rng.uniform(near, 30) if n % 2 else 3.0])
            x, y = rng.uniform(-2, 2), rng.uniform(-2, 2)
            vertices.append({"pos": [round(x * scale, 6), round(y * scale, 6),
                                     round((z - near) * far / (far - near), 6), round(z, 6)],
                             "color": [round(v, 7) for v in c.colour()]})
    c.draw(vertices, depth={"func": "less", "write": True})
    return c.case


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--count", type=int, default=6)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for family in (fill, depth, stencil, blend, logic, texture, persp, clip):
        for n in range(args.count):
            case = family(random.Random(f"{args.seed} {family.__name__} {n}"), n)
            case = {"name": f"{family.__name__}_{n}", "family": family.__name__, **case}
            (args.out / f"{case['name']}.json").write_text(json.dumps(case, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
