#!/usr/bin/env python3
"""Writes the corpora of damaged images: tests/bad/elf (host firmware) and tests/bad/vxbin (device images).

    tools/make_bad_images.py            rewrites both folders; the files are committed

Every file is a small good image with one thing wrong; the function's name says what. Run it again after adding one.
"""
import pathlib
import struct

RAM = 0x80000000
EHDR, PHDR = 64, 56
BAD = pathlib.Path(__file__).resolve().parent.parent / "tests" / "bad"
CODE = struct.pack("<IIII", 0x00000013, 0x00000013, 0x10500073, 0xFFDFF06F)  # nop, nop, wfi, back to the wfi


def elf(header=None, segments=None, cut=None, poke=None):
    """A good ELF64 with 16 bytes of code and a 32-byte data segment, with fields replaced."""
    h = dict(cls=2, data=1, type=2, machine=243, entry=RAM, phoff=EHDR, phentsize=PHDR, phnum=None)
    h.update(header or {})
    body = CODE + bytes(range(8))
    count = 2 if segments is None else len(segments)
    at = EHDR + PHDR * count
    if segments is None:
        segments = [{}, {}]
    good = [dict(type=1, flags=5, offset=at, vaddr=RAM, paddr=RAM, filesz=16, memsz=16, align=4),
            dict(type=1, flags=6, offset=at + 16, vaddr=RAM + 0x1000, paddr=RAM + 0x1000, filesz=8, memsz=32, align=8)]
    out = b"\x7fELF" + bytes([h["cls"], h["data"], 1, 0]) + bytes(8)
    out += struct.pack("<HHIQQQIHHHHHH", h["type"], h["machine"], 1, h["entry"] & (2**64 - 1), h["phoff"], 0, 0, EHDR,
                       h["phentsize"], count if h["phnum"] is None else h["phnum"], 64, 0, 0)
    for change, base in zip(segments, good):
        s = {**base, **change}
        out += struct.pack("<IIQQQQQQ", s["type"], s["flags"], s["offset"], s["vaddr"], s["paddr"], s["filesz"],
                           s["memsz"], s["align"])
    out += body
    for offset, data in (poke or {}).items():
        out = out[:offset] + data + out[offset + len(data):]
    return out[:cut]


ELF = {
    "magic_only": elf(cut=4),
    "half_header": elf(cut=40),
    "wrong_class": elf({"cls": 1}),
    "no_class": elf({"cls": 9}),
    "big_endian": elf({"data": 2}),
    "wrong_machine": elf({"machine": 62}),
    "object_file": elf({"type": 1}),
    "core_dump": elf({"type": 4}),
    "no_segments": elf(segments=[]),
    "nothing_to_load": elf(segments=[{"type": 4}, {"type": 4}]),
    "zero_memory": elf(segments=[{"filesz": 0, "memsz": 0}, {"filesz": 0, "memsz": 0}]),
    "phnum_lies": elf({"phnum": 60000}),
    "phnum_escape": elf({"phnum": 0xFFFF}),
    "phoff_far": elf({"phoff": 1 << 40}),
    "phoff_wraps": elf({"phoff": 2**64 - 8}),
    "phentsize": elf({"phentsize": 7}),
    "headers_cut": elf(cut=EHDR + 60),
    "segment_cut": elf(cut=-1),
    "offset_wraps": elf(segments=[{"offset": 2**64 - 4}, {}]),
    "file_above_memory": elf(segments=[{}, {"memsz": 4}]),
    "below_ram": elf(segments=[{}, {"vaddr": 0x1000, "paddr": 0x1000}]),
    "above_ram": elf(segments=[{}, {"paddr": RAM + (1 << 40)}]),
    "across_ram_end": elf(segments=[{}, {"memsz": 1 << 40}]),
    "address_wraps": elf(segments=[{}, {"paddr": 2**64 - 16}]),
    "overlap": elf(segments=[{}, {"paddr": RAM + 8}]),
    "entry_outside": elf({"entry": RAM + 0x800}),
    "entry_odd": elf({"entry": RAM + 1}),
    "entry_in_zeros": elf({"entry": RAM + 0x1010}),
    "text": b"This is not a program.\n",
    "script": b"#!/bin/sh\nexit 0\n",
    "empty": b"",
    "zeros": bytes(4096),
}

BASE, WORDS = 0x80000000, 32


def vxbin(begin=BASE, end=BASE + 4 * WORDS, words=WORDS, names=b"main", symbols=((0, 4, BASE),), count=None,
          magic=b"VXSYMTAB", cut=None, extra=b""):
    """A device image of illegal instructions with a symbol footer (abi/vxbin.h), with parts replaced."""
    out = struct.pack("<QQ", begin & (2**64 - 1), end & (2**64 - 1)) + bytes(4 * words) + names
    for offset, length, pc in symbols:
        out += struct.pack("<IHHQ", offset, length, 0, pc)
    out += struct.pack("<I", len(symbols) if count is None else count) + magic + extra
    return out[:cut]


VXBIN = {
    "empty": b"",
    "half_header": vxbin(cut=12),
    "text": b"This is not a device image, whatever its name says.\n",
    "elf": elf({"cls": 1}),
    "unaligned": vxbin(begin=BASE + 2),
    "below_images": vxbin(begin=0x10000, end=0x10000 + 4 * WORDS),
    "in_aperture": vxbin(begin=0xE0000000, end=0xE0000000 + 4 * WORDS),
    "end_before_begin": vxbin(end=BASE - 4),
    "nothing": vxbin(end=BASE),
    "beyond_4gib": vxbin(end=1 << 40),
    "wraps": vxbin(end=2**64 - 4),
    "cut": vxbin(cut=100),
    "announces_more": vxbin(end=BASE + 0x100000),
    "no_footer": vxbin(cut=16 + 4 * WORDS),
    "footer_magic": vxbin(magic=b"VXSYMTAC"),
    "footer_count": vxbin(count=1000),
    "footer_count_huge": vxbin(count=2**32 - 1),
    "name_outside": vxbin(symbols=((2, 4, BASE),)),
    "name_far": vxbin(symbols=((2**32 - 1, 4, BASE),)),
    "pc_outside": vxbin(symbols=((0, 4, BASE + 4 * WORDS),)),
    "pc_odd": vxbin(symbols=((0, 4, BASE + 2),)),
}


def write(folder, extension, files):
    (BAD / folder).mkdir(parents=True, exist_ok=True)
    for old in (BAD / folder).glob("*" + extension):
        old.unlink()
    for name, data in files.items():
        (BAD / folder / (name + extension)).write_bytes(data)


write("elf", ".elf", ELF)
write("vxbin", ".vxbin", VXBIN)
