#!/usr/bin/env python3
"""Writes the scenes of scenes/ that are computed: the same bytes on every run.

    make_scenes.py DIR            write all into DIR
    make_scenes.py --check DIR    compare with what is in DIR; exit code 1 if something differs
"""
import argparse
import math
import os
import random
import struct
import sys
import zlib


# ---- pictures ---------------------------------------------------------------

def png(width, height, pixel):
    """PNG bytes of an RGB picture; pixel(x, y) gives three numbers in 0..1. Stored uncompressed-stable: level 9."""
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            rows += bytes(max(0, min(255, int(c * 255 + 0.5))) for c in pixel(x, y))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))


def value_noise(rng, size, cells):
    """Smooth periodic noise on a size x size torus, 0..1."""
    grid = [[rng.random() for _ in range(cells)] for _ in range(cells)]

    def at(x, y):
        fx, fy = x * cells / size, y * cells / size
        x0, y0 = int(fx), int(fy)
        tx, ty = fx - x0, fy - y0
        tx, ty = tx * tx * (3 - 2 * tx), ty * ty * (3 - 2 * ty)
        a, b = grid[y0 % cells][x0 % cells], grid[y0 % cells][(x0 + 1) % cells]
        c, d = grid[(y0 + 1) % cells][x0 % cells], grid[(y0 + 1) % cells][(x0 + 1) % cells]
        return (a * (1 - tx) + b * tx) * (1 - ty) + (c * (1 - tx) + d * tx) * ty
    return at


def grass_picture():
    rng, size = random.Random(21), 64
    coarse, fine = value_noise(rng, size, 8), value_noise(rng, size, 32)

    def pixel(x, y):
        light = 0.55 + 0.3 * coarse(x, y) + 0.3 * (fine(x, y) - 0.5)
        return 0.42 * light + 0.05, 0.72 * light + 0.04, 0.26 * light + 0.02
    return png(size, size, pixel)


def brick_picture():
    rng, size = random.Random(22), 64
    grain = value_noise(rng, size, 32)
    shades = [[rng.uniform(0.75, 1.1) for _ in range(4)] for _ in range(8)]

    def pixel(x, y):
        row = y // 8
        shifted = (x + (8 if row % 2 else 0)) % size
        if y % 8 == 0 or shifted % 16 == 0:
            tone = 0.78 + 0.12 * grain(x, y)
            return tone, tone * 0.96, tone * 0.9
        tone = shades[row][shifted // 16] * (0.85 + 0.3 * grain(x, y))
        return 0.72 * tone, 0.30 * tone, 0.20 * tone
    return png(size, size, pixel)


# ---- implicit surfaces ------------------------------------------------------

def normalized(v):
    length = math.sqrt(sum(c * c for c in v))
    return tuple(c / length for c in v) if length > 0 else (0.0, 1.0, 0.0)


class Blob:
    """An ellipsoid turned about x (tilt), then about z (lean); its field is 1 at the surface and falls outwards."""

    def __init__(self, centre, radii, tilt=0.0, lean=0.0):
        self.centre, self.radii = centre, radii
        self.ct, self.st, self.cl, self.sl = math.cos(tilt), math.sin(tilt), math.cos(lean), math.sin(lean)

    def distance(self, x, y, z):
        """Roughly the distance to the surface, negative inside."""
        x, y, z = x - self.centre[0], y - self.centre[1], z - self.centre[2]
        x, y = self.cl * x + self.sl * y, -self.sl * x + self.cl * y
        y, z = self.ct * y + self.st * z, -self.st * y + self.ct * z
        rx, ry, rz = self.radii
        k0 = math.sqrt((x / rx) ** 2 + (y / ry) ** 2 + (z / rz) ** 2)
        k1 = math.sqrt((x / rx ** 2) ** 2 + (y / ry ** 2) ** 2 + (z / rz ** 2) ** 2)
        return k0 * (k0 - 1) / k1 if k1 > 1e-9 else -min(self.radii)


def union(blobs, blend):
    """Metaballs: blobs melt together over about `blend`."""
    def field(x, y, z):
        out = 1e9
        for blob in blobs:
            d = blob.distance(x, y, z)
            h = max(blend - abs(out - d), 0.0) / blend
            out = min(out, d) - h * h * blend * 0.25
        return out
    return field


def gradient(field, p, step=1e-3):
    x, y, z = p
    return normalized((field(x + step, y, z) - field(x - step, y, z), field(x, y + step, z) - field(x, y - step, z),
                       field(x, y, z + step) - field(x, y, z - step)))


# Six tetrahedra that share the diagonal 0-7 of a cell; corner bits are x, y, z.
TETRAHEDRA = [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]


def polygonise(field, low, high, step):
    """Marching tetrahedra: vertices and triangles of field = 0, counter-clockwise seen from outside."""
    counts = [int(math.ceil((h - l) / step)) for l, h in zip(low, high)]
    nx, ny, nz = (c + 1 for c in counts)
    point = lambda i, j, k: (low[0] + i * step, low[1] + j * step, low[2] + k * step)
    values = [field(*point(i, j, k)) or 1e-9 for k in range(nz) for j in range(ny) for i in range(nx)]
    index = lambda i, j, k: (k * ny + j) * nx + i
    vertices, known, triangles = [], {}, []

    def crossing(a, b):
        key = (a, b) if a < b else (b, a)
        if key not in known:
            ia, ib = key
            pa, pb = (point(n % nx, n // nx % ny, n // (nx * ny)) for n in key)
            # Away from the ends: no slivers where the surface passes near a grid point.
            t = max(0.12, min(0.88, values[ia] / (values[ia] - values[ib])))
            known[key] = len(vertices)
            vertices.append(tuple(p + (q - p) * t for p, q in zip(pa, pb)))
        return known[key]

    def add(a, b, c, inside_point):
        pa, pb, pc = vertices[a], vertices[b], vertices[c]
        u, v = [q - p for p, q in zip(pa, pb)], [q - p for p, q in zip(pa, pc)]
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        if sum(m * (p - q) for m, p, q in zip(n, pa, inside_point)) < 0:
            b, c = c, b
        if len({a, b, c}) == 3:
            triangles.append((a, b, c))

    for k in range(counts[2]):
        for j in range(counts[1]):
            for i in range(counts[0]):
                corners = [index(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)) for c in range(8)]
                signs = [values[c] < 0 for c in corners]
                if all(signs) or not any(signs):
                    continue
                for tet in TETRAHEDRA:
                    inside = [corners[c] for c in tet if signs[c]]
                    outside = [corners[c] for c in tet if not signs[c]]
                    if not inside or not outside:
                        continue
                    n = inside[0]
                    at = point(n % nx, n // nx % ny, n // (nx * ny))
                    if len(inside) == 1:
                        add(*(crossing(inside[0], o) for o in outside), at)
                    elif len(outside) == 1:
                        add(*(crossing(m, outside[0]) for m in inside), at)
                    else:
                        a, b = crossing(inside[0], outside[0]), crossing(inside[0], outside[1])
                        c, d = crossing(inside[1], outside[1]), crossing(inside[1], outside[0])
                        add(a, b, c, at)
                        add(a, c, d, at)
    return vertices, triangles


def relax(field, vertices, triangles, rounds):
    """Evens out the triangles: every vertex moves towards its neighbours' mean, then back onto the surface."""
    around = [set() for _ in vertices]
    for t in triangles:
        for a in t:
            around[a].update(b for b in t if b != a)
    around = [sorted(s) for s in around]
    for _ in range(rounds):
        moved = []
        for p, near in zip(vertices, around):
            mean = [sum(vertices[n][c] for n in near) / len(near) for c in range(3)] if near else p
            q = [a + 0.6 * (b - a) for a, b in zip(p, mean)]
            for _ in range(2):
                n = gradient(field, q)
                d = field(*q)
                q = [a - d * b for a, b in zip(q, n)]
            moved.append(tuple(q))
        vertices = moved
    return vertices


class Obj:
    """Collects an OBJ file; every face corner has position and normal, and a texture place where it has a picture."""

    def __init__(self, comment, library):
        self.lines = ["# " + comment, "mtllib " + library]
        self.v = self.vt = self.vn = 0

    def add(self, material, vertices, normals, triangles, uvs=None):
        number = lambda x: ("%.3f" % x).replace("-0.000", "0.000")
        self.lines.append("usemtl " + material)
        self.lines += ["v " + " ".join(number(c) for c in p) for p in vertices]
        self.lines += ["vn " + " ".join(("%.2f" % c).replace("-0.00", "0.00") for c in n) for n in normals]
        if uvs:
            self.lines += ["vt " + " ".join(number(c) for c in t) for t in uvs]
        for t in triangles:
            corner = lambda a: "%d/%s/%d" % (a + 1 + self.v, str(a + 1 + self.vt) if uvs else "", a + 1 + self.vn)
            self.lines.append("f " + " ".join(corner(a) for a in t))
        self.v += len(vertices)
        self.vn += len(normals)
        self.vt += len(uvs or [])

    def text(self):
        return ("\n".join(self.lines) + "\n").encode()


def materials(comment, entries):
    lines = ["# " + comment]
    for name, color, picture in entries:
        lines += ["newmtl " + name, "Kd " + " ".join("%.3f" % c for c in color)]
        if picture:
            lines.append("map_Kd " + picture)
    return ("\n".join(lines) + "\n").encode()


def bunny():
    both = lambda make: [make(-1), make(1)]
    body = [Blob((0, 0.62, -0.25), (0.60, 0.60, 0.74), tilt=0.15), Blob((0, 0.58, 0.25), (0.42, 0.50, 0.42)),
            Blob((0, 1.22, 0.58), (0.36, 0.35, 0.40), tilt=0.25), Blob((0, 1.12, 0.86), (0.20, 0.17, 0.17)),
            Blob((0, 0.50, -0.98), (0.20, 0.20, 0.20))]
    body += both(lambda s: Blob((0.40 * s, 0.42, -0.35), (0.28, 0.42, 0.48)))                # haunches
    body += both(lambda s: Blob((0.36 * s, 0.10, 0.02), (0.17, 0.12, 0.40)))                 # hind feet
    body += both(lambda s: Blob((0.19 * s, 0.12, 0.62), (0.13, 0.13, 0.24)))                 # fore feet
    body += both(lambda s: Blob((0.19 * s, 0.40, 0.50), (0.14, 0.36, 0.15)))                 # fore legs
    body += both(lambda s: Blob((0.13 * s, 1.10, 0.92), (0.12, 0.11, 0.11)))                 # cheeks
    body += both(lambda s: Blob((0.25 * s, 1.90, 0.36), (0.16, 0.52, 0.125), tilt=-0.28, lean=-0.26 * s))  # ears
    fur = union(body, 0.14)
    vertices, triangles = polygonise(fur, (-0.95, -0.10, -1.35), (0.95, 2.70, 1.25), 0.115)
    vertices = relax(fur, vertices, triangles, 3)
    obj = Obj("A rabbit of metaballs; made by tools/make_scenes.py", "bunny.mtl")
    obj.add("fur", vertices, [gradient(fur, p) for p in vertices], triangles)

    def ball(material, blob, step):
        field = union([blob], 0.01)
        low = [c - max(blob.radii) * 1.3 for c in blob.centre]
        high = [c + max(blob.radii) * 1.3 for c in blob.centre]
        v, t = polygonise(field, low, high, step)
        v = relax(field, v, t, 2)
        obj.add(material, v, [gradient(field, p) for p in v], t)
    for s in (-1, 1):
        ball("eye", Blob((0.262 * s, 1.31, 0.80), (0.062, 0.075, 0.062)), 0.04)
        ball("inner_ear", Blob((0.245 * s, 1.92, 0.430), (0.085, 0.38, 0.075), tilt=-0.28, lean=-0.26 * s), 0.085)
    ball("nose", Blob((0, 1.175, 1.02), (0.062, 0.045, 0.04)), 0.036)

    rings, spokes = 5, 40
    ground = [(0.0, -0.02, -0.05)]
    for r in range(1, rings + 1):
        for s in range(spokes):
            a, radius = 2 * math.pi * s / spokes, 1.75 * r / rings
            ground.append((radius * math.sin(a), -0.02, -0.05 + radius * math.cos(a)))
    faces = [(0, 1 + s, 1 + (s + 1) % spokes) for s in range(spokes)]
    for r in range(rings - 1):
        for s in range(spokes):
            a, b = 1 + r * spokes + s, 1 + r * spokes + (s + 1) % spokes
            faces += [(a, a + spokes, b + spokes), (a, b + spokes, b)]
    obj.add("grass", ground, [(0, 1, 0)] * len(ground), faces, [(p[0] * 1.5, p[2] * 1.5) for p in ground])
    library = materials("Materials of bunny.obj", [
        ("fur", (0.86, 0.76, 0.64), None), ("eye", (0.08, 0.05, 0.05), None), ("inner_ear", (0.90, 0.58, 0.55), None),
        ("nose", (0.80, 0.40, 0.42), None), ("grass", (1, 1, 1), "grass.png")])
    return {"bunny.obj": obj.text(), "bunny.mtl": library, "grass.png": grass_picture()}


def torus():
    around, across = 48, 24
    vertices, normals, uvs, triangles = [], [], [], []
    for i in range(around + 1):
        a = 2 * math.pi * i / around
        for j in range(across + 1):
            b = 2 * math.pi * j / across
            n = (math.cos(b) * math.cos(a), math.sin(b), math.cos(b) * math.sin(a))
            vertices.append(((1 + 0.42 * math.cos(b)) * math.cos(a), 0.42 * math.sin(b),
                             (1 + 0.42 * math.cos(b)) * math.sin(a)))
            normals.append(n)
            uvs.append((6.0 * i / around, 3.0 * j / across))
    for i in range(around):
        for j in range(across):
            a = i * (across + 1) + j
            b = a + across + 1
            triangles += [(a, a + 1, b + 1), (a, b + 1, b)]
    obj = Obj("A ring of bricks; made by tools/make_scenes.py", "torus.mtl")
    obj.add("brick", vertices, normals, triangles, uvs)
    return {"torus.obj": obj.text(), "torus.mtl": materials("Material of torus.obj", [("brick", (1, 1, 1), "brick.png")]),
            "brick.png": brick_picture()}


def overlap():
    """Translucent strips on top of one another: 2,304 triangles whose order shows in every pixel."""
    rng = random.Random(9)
    size, strips, length = 128, 36, 66
    draws = []
    for s in range(strips):
        x, y, heading = rng.uniform(16, 112), rng.uniform(16, 112), rng.uniform(0, 6.28)
        width = rng.uniform(7, 16)
        turn = rng.uniform(0, 6.28)
        hue = [0.5 + 0.5 * math.cos(turn + k * 2.09) for k in range(3)]
        vertices = []
        for i in range(length):
            heading += rng.uniform(-0.5, 0.5)
            if not (12 < x < 116 and 12 < y < 116):
                heading = math.atan2(64 - y, 64 - x) + rng.uniform(-0.4, 0.4)
            x, y = x + 5 * math.cos(heading), y + 5 * math.sin(heading)
            side = width if i % 2 else -width
            px, py = x - side * math.sin(heading), y + side * math.cos(heading)
            color = [min(1, max(0, h + rng.uniform(-0.25, 0.25))) for h in hue] + [rng.uniform(0.15, 0.6)]
            vertices.append('{"pos":[%.4f,%.4f,%.3f,1],"color":[%s]}' % (
                px / size * 2 - 1, py / size * 2 - 1, rng.uniform(0.1, 0.9), ",".join("%.2f" % c for c in color)))
        draws.append('{"topology":"strip","blend":{"srcRGB":"src_alpha","dstRGB":"one_minus_src_alpha","srcA":"one",'
                     '"dstA":"one_minus_src_alpha"},"vertices":[\n%s]}' % ",\n".join(vertices))
    text = '{"name":"overlap","comment":"Translucent strips; made by tools/make_scenes.py",\n"width":%d,"height":%d,' \
           '"clear":{"color":[0.05,0.05,0.1,1]},"draws":[\n%s\n]}\n' % (size, size, ",\n".join(draws))
    return {"overlap.json": text.encode()}


def quad():
    """A floor seen at an angle with a mip-mapped picture, a translucent pane before it, a stencilled frame."""
    brick = '"texture":{"png":"brick.png","filter":"linear","mip":"linear","wrapU":"repeat","wrapV":"repeat"}'
    corner = lambda x, y, z, w, u, v: '{"pos":[%g,%g,%g,%g],"uv":[%g,%g]}' % (x, y, z, w, u, v)
    floor = ",".join([corner(-1, 1, 0, 1, 0, 0), corner(1, 1, 0, 1, 4, 0), corner(-3, -2, 4.5, 5, 0, 16),
                      corner(3, -2, 4.5, 5, 4, 16)])
    pane = ",".join('{"pos":[%g,%g,0.4,1],"color":[0.2,0.7,1,0.5]}' % p
                    for p in ((-0.6, -0.2), (0.7, -0.3), (-0.5, 0.8), (0.6, 0.7)))
    frame = ",".join('{"pos":[%g,%g,0,1]}' % p for p in ((-0.7, -0.9), (0.7, -0.9), (-0.7, 0.9), (0.7, 0.9)))
    once = '{"func":"equal","ref":0,"zpass":"incr_clamp"}'
    text = ('{"name":"quad","comment":"Texture with mip levels, blending, stencil; made by tools/make_scenes.py",\n'
            '"width":128,"height":128,"clear":{"color":[0.5,0.6,0.8,1]},"draws":[\n'
            '{"topology":"strip","mode":"texture","depth":{"func":"less"},%s,\n "vertices":[%s]},\n'
            '{"topology":"strip","depth":{"func":"less","write":false},"blend":{"srcRGB":"src_alpha","dstRGB":'
            '"one_minus_src_alpha"},"stencil":{"front":%s,"back":%s},\n "vertices":[%s]},\n'
            '{"topology":"strip","mode":"flat","flatColor":[1,0.9,0.3,1],"scissor":[10,100,108,20],'
            '"stencil":{"front":%s,"back":%s},\n "vertices":[%s]}\n]}\n'
            % (brick, floor, once, once, pane, once, once, frame))
    return {"quad.json": text.encode()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    differing = []
    for make in (bunny, torus, overlap, quad):
        for name, data in make().items():
            path = os.path.join(args.dir, name)
            if args.check:
                same = os.path.exists(path) and open(path, "rb").read() == data
                # zlib versions may pack a picture differently; only text has to be the same everywhere.
                if not same and not (name.endswith(".png") and os.path.exists(path)):
                    differing.append(name)
            else:
                with open(path, "wb") as file:
                    file.write(data)
    if differing:
        print("not what tools/make_scenes.py writes: " + ", ".join(differing))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
