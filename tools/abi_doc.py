#!/usr/bin/env python3
"""Write docs/registers.md from the headers in abi/: registers, commands, codes and wire structs with their offsets.

  abi_doc.py [-o FILE]     write the page (default: standard output)
  abi_doc.py --check FILE  exit code 1 if FILE is not the page

The page follows the headers: a comment on lines of its own opens a section, a comment behind a definition is its
meaning. A meaning may begin with the access ("RW: "). Offsets and sizes of structs are computed here and have to agree
with the static assertions of the headers.
"""
import argparse
import pathlib
import re
import sys

ABI = pathlib.Path(__file__).resolve().parent.parent / "abi"

# (header, title, text under the title). Every header of abi/ that defines anything has to be here.
PAGES = [
    ("host_map.h", "Host CPU: address map and devices",
     "Addresses as the host CPU sees them. An address nobody has gives an access fault. Devices take naturally aligned "
     "32-bit accesses; the UART takes bytes, `mtime` and `mtimecmp` also 64 bits; everything else is an access fault."),
    ("cp.h", "Command processor",
     "Byte offsets from `GYRE_HOST_CP_BASE`. How they are used: [programming.md](programming.md)."),
    ("device_map.h", "Device memory map",
     "The GPU's own 32-bit space, memory but for the ranges named here. For the command processor and the "
     "fixed-function units the aperture and the local memory window are not memory."),
    ("dcr.h", "Device control registers",
     "Written by the command processor, broadcast to every unit; write only but for the two system registers."),
    ("csr.h", "CSRs of a SIMT core, faults, counters",
     "Reads are per lane. `fflags`, `frm`, `fcsr`, `satp`, `mstatus`, `mtvec`, `mscratch`, `mepc`, `mcause` and `mtval` "
     "can be written, the others are read only (writes are ignored). A number that is not here faults with `BAD_CSR`."),
    ("gfx.h", "Graphics codes and structs", "What the fields mean for a picture: [graphics.md](graphics.md)."),
    ("package.h", "Draw package", "How scenes become packages: [scenes.md](scenes.md)."),
    ("vxbin.h", "Device binary file", ""),
]
# Included by others or without a wire format.
NOT_ON_THE_PAGE = {"fixed.h"}
# Headers whose opening comment says more than what the file is.
KEEP_TOP = {"dcr.h", "package.h"}

# Notes in the sources that name a design note, and the page that says it here.
REFERENCES = {"frontend": "graphics.md", "om": "graphics.md", "tex": "graphics.md", "cgltrace": "scenes.md",
              "isa": "programming.md", "launch": "programming.md", "cp": "programming.md", "host": "programming.md"}

SIZES = {"uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "int32_t": 4, "float": 4, "uint64_t": 8}
SHORT = {"uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "int32_t": "i32", "float": "f32", "uint64_t": "u64"}


class Mistake(Exception):
    """The headers say something this program cannot put on the page."""


def clean(text):
    """A comment as a sentence of the page: one line, without the section marks of the sources."""
    text = re.sub(r"\s*\n\s*\*?\s*", " ", text).strip()
    text = re.sub(r"\s*\([^()]*§[^()]*\)", "", text)
    text = re.sub(r"(\w+)\.md §[\d.]+", lambda m: REFERENCES[m.group(1)], text)
    return text.strip(" -")


def capital(text):
    return text[:1].upper() + text[1:]


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ") or " "


def table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(cell(value) for value in row) + " |" for row in rows]
    return lines + [""]


class Struct:
    """A struct being read: fields with offsets under natural alignment."""

    def __init__(self, name, known, constants):
        self.name, self.known, self.constants = name, known, constants
        self.offset, self.align, self.rows = 0, 1, []

    def note(self, text):
        self.rows.append(("", "", text, ""))

    def add(self, kind, names, meaning):
        size, align = self.known[kind]
        for name in names:
            match = re.fullmatch(r"(\w+)((?:\[\w+\])*)", name.strip())
            if not match:
                raise Mistake(f"{self.name}: field {name!r}")
            count = 1
            for length in re.findall(r"\[(\w+)\]", match.group(2)):
                count *= self.constants[length] if length in self.constants else int(length)
            self.offset = (self.offset + align - 1) // align * align
            self.align = max(self.align, align)
            if match.group(1) == "pad_":
                meaning = "zero"
            self.rows.append((str(self.offset), SHORT.get(kind, kind) + match.group(2), f"`{match.group(1)}`", meaning))
            self.offset += size * count
            meaning = meaning if len(names) == 1 else ""

    def size(self):
        return (self.offset + self.align - 1) // self.align * self.align

    def table(self):
        has_meaning = any(row[3] for row in self.rows)
        rows = [row if has_meaning else row[:3] for row in self.rows]
        return table(["offset", "type", "field"] + (["meaning"] if has_meaning else []), rows)


class Header:
    """One header, turned into lines of the page."""

    def __init__(self, path, known, constants):
        self.text = re.sub(r"\s*\\\n\s*", " ", path.read_text(encoding="utf-8"))
        self.known, self.constants = known, constants
        self.name, self.out, self.rows = path.name, [], []
        self.seen_top, self.level = False, "###"
        self.struct = None
        self.read()

    def flush(self):
        if not self.rows:
            return
        titles, columns = ["name", "value", "access", "meaning"], [0, 1, 2, 3]
        columns = [c for c in columns if c < 2 or any(row[c] for row in self.rows)]
        self.out += table([titles[c] for c in columns], [[row[c] for c in columns] for row in self.rows])
        self.rows = []

    def heading(self, text, raw):
        """A comment on lines of its own. One between dashes is a level above the others."""
        self.flush()
        if not self.seen_top:  # what the file is: its title stands in PAGES; keep what follows the first sentence
            self.seen_top = True
            if " *   " in raw:  # a drawing
                body = re.sub(r"^ \* ?", "", raw.strip().removeprefix("/*").removesuffix("*/"), flags=re.M)
                body = re.sub(r" \([^()]*§[^()]*\)", "", body).strip()
                self.out += ["```", *[line.rstrip() for line in body.split("\n")], "```", ""]
            elif self.name in KEEP_TOP:
                self.out += [text.split(". ", 1)[1], ""]
            return
        if "----" in raw:
            self.level = "####"
            self.out += ["### " + capital(text), ""]
            return
        match = re.match(r"(.*?)(?:[:;,] | (?=\())(.*)", text)
        title, rest = match.groups() if match else (text, "")
        self.out += [f"{self.level} {capital(title.strip(' .:'))}", ""]
        if rest:
            rest = rest.strip(" .")
            rest = rest[1:-1] if re.fullmatch(r"\([^()]*\)", rest) else rest
            self.out += [capital(rest) + ".", ""]

    def define(self, name, value, comment):
        number = re.fullmatch(r"(0x[0-9A-Fa-f]+|\d+)u?", value)
        if number:
            self.constants[name] = int(number.group(1), 0)
        meaning = clean(comment or "")
        access = re.match(r"(R|W|RW|RW1C)(?:: |$)", meaning)
        self.rows.append((f"`{name}`", value.rstrip("u"), access.group(1) if access else "",
                          meaning[access.end():] if access else meaning))

    def field_line(self, line):
        match = re.fullmatch(r"\s*(\w+) ([^;]+);\s*(?:/\*(.*?)\*/)?\s*", line, re.S)
        if match:
            self.struct.add(match.group(1), [n for n in match.group(2).split(",")], clean(match.group(3) or ""))
            return True
        match = re.fullmatch(r"\s*/\*(.*?)\*/\s*", line, re.S)
        if match:
            self.struct.note("*" + clean(match.group(1)) + "*")
            return True
        return False

    def read(self):
        logical = []  # lines, with comments that span lines joined
        for line in self.text.split("\n"):
            if logical and logical[-1].count("/*") > logical[-1].count("*/"):
                logical[-1] += "\n" + line
            else:
                logical.append(line)
        for line in logical:
            if self.struct is not None:
                self.inside(line)
            elif match := re.fullmatch(r"\s*/\*(.*)\*/\s*", line, re.S):
                text = clean(match.group(1)).strip("= ")
                if text:
                    self.heading(text, line)
            elif match := re.match(r"#define (GYRE_\w+)(?: +(\S+|\".*?\"))?\s*(?:/\*(.*)\*/)?\s*$", line, re.S):
                if match.group(2):
                    self.define(match.group(1), match.group(2), match.group(3))
            elif match := re.match(r"typedef struct (\w+) \{\s*(?:/\*(.*)\*/)?", line, re.S):
                self.flush()
                self.struct, self.struct_note = Struct(match.group(1), self.known, self.constants), match.group(2)
            elif match := re.match(r"GYRE_STATIC_ASSERT\(sizeof\((\w+)\) == (\d+)", line):
                if self.known[match.group(1)][0] != int(match.group(2)):
                    raise Mistake(f"{match.group(1)}: {self.known[match.group(1)][0]} bytes here, {match.group(2)} asserted")
        self.flush()

    def inside(self, line):
        if line.startswith("}"):
            s = self.struct
            self.known[s.name] = (s.size(), s.align)
            note = clean(self.struct_note or "")
            note = re.sub(r"^\d+ bytes[;,]?\s*(one a stage)?", r"\1", note)
            self.out += [f"{self.level} `{s.name}`: {s.size()} bytes" + (f", {note}" if note else ""), ""] + s.table()
            self.struct = None
        elif line.strip() and not self.field_line(line):
            raise Mistake(f"{self.struct.name}: cannot read {line!r}")


def page():
    known = {kind: (size, size) for kind, size in SIZES.items()}
    constants = {}
    missing = {path.name for path in ABI.glob("*.h")} - {name for name, _, _ in PAGES} - NOT_ON_THE_PAGE
    if missing:
        raise Mistake("abi/" + ", abi/".join(sorted(missing)) + " has no place on the page; add it to PAGES")
    out = ["# Registers and wire formats", "",
           "Made by `tools/abi_doc.py` from the headers in `abi/`; do not edit by hand. Software, model and hardware "
           "include the same headers.", ""]
    for name, _, _ in PAGES:
        if name == "gfx.h":
            Header(ABI / name, known, constants)  # structs that others embed
    for name, title, text in PAGES:
        out += [f"## {title} (`abi/{name}`)", ""] + ([text, ""] if text else [])
        out += Header(ABI / name, known, constants).out
    return "\n".join(out).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("-o", metavar="FILE", help="write here instead of standard output")
    parser.add_argument("--check", metavar="FILE", help="compare with this file")
    options = parser.parse_args()
    try:
        text = page()
    except Mistake as mistake:
        sys.exit(f"abi_doc: {mistake}")
    if options.check:
        if pathlib.Path(options.check).read_text(encoding="utf-8") != text:
            sys.exit(f"{options.check} is not up to date: run tools/abi_doc.py -o docs/registers.md")
    elif options.o:
        pathlib.Path(options.o).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
