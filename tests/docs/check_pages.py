#!/usr/bin/env python3
"""Pages against the sources: check_pages.py SOURCE_DIR. Exit code 1 and a line for every mistake.

Links lead somewhere, configuration keys and GYRE_ macros in code spans exist, quoted files are the files.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
knobs = set(re.findall(r"^\| `([\w.]+)`", (root / "docs/configuration.md").read_text(encoding="utf-8"), re.M))
units = ("", "_ps", "_hz", "_bytes", "_cycles")
macros = set(re.findall(r"GYRE_\w+", "".join(p.read_text(encoding="utf-8") for p in root.glob("abi/*.h"))))
mistakes = []


def anchor(title):
    return re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-")


def is_knob(key):
    return any(key + unit in knobs for unit in units) or any(knob.startswith(key + ".") for knob in knobs)


for page in pages:
    text = page.read_text(encoding="utf-8")
    where = page.relative_to(root)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, mark = target.partition("#")
        file = (page.parent / path) if path else page
        if not file.exists():
            mistakes.append(f"{where}: link to {target}, which does not exist")
        elif mark and mark not in [anchor(t) for t in re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.M)]:
            mistakes.append(f"{where}: link to {target}: no such heading")
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for key in re.findall(r"(?<![\w./])((?:sim|host|gpu)\.[a-z_0-9]+(?:\.[a-z_0-9]+)*)(?:=|`|:|,|\s)", prose):
        if not is_knob(key) and not re.search(r"\.(h|c|cpp|ld|md|py|cluster\d*)\b", key):
            mistakes.append(f"{where}: {key} is no configuration key")
    for macro in re.findall(r"`(GYRE_[A-Z0-9_]+)`", prose):
        build = macro in ("GYRE_SHARED_DIR", "GYRE_ORACLE_CASES", "GYRE_PRESET")
        if not build and macro not in macros and not macro.endswith("_"):
            mistakes.append(f"{where}: {macro} is not in abi/")
    for name, block in re.findall(r"<!-- ([\w/.]+) -->\n```\w*\n(.*?)```\n<!-- end -->", text, re.S):
        if (root / name).read_text(encoding="utf-8") != block:
            mistakes.append(f"{where}: the text quoted from {name} is not the file's")

for path in re.findall(r"`((?:docs|scenes|configs|tools|tests|firmware|modules|abi|bench)/[\w./-]*)`",
                       "".join(p.read_text(encoding="utf-8") for p in pages)):
    if not (root / path).exists():
        mistakes.append(f"{path} is named by a page and does not exist")

print("\n".join(mistakes))
sys.exit(bool(mistakes))
