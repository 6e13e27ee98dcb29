"""Computes the reference pages from the op table, and what is tracked: ``docs/coverage.md`` and which module defines which name.

python tools/make_docs.py                      # `make docs`: write all of them, the reference into docs/reference
python tools/make_docs.py --reference FOLDER   # write the reference alone
python tools/make_docs.py --check              # exit status 1 if what is tracked is not what would be written
"""

from __future__ import annotations

import argparse
import inspect
import pathlib
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import coverage_page
import deviation_links
import late_names
import raw_page

from twinflow._src.api import describe
from twinflow._src.core import dtypes
from twinflow._src.dispatch.op import API, OPS
from twinflow._src.wings.numpy_ops import registry

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
NAMES = "../python/twinflow/_src/api/api_index.txt"
NOTICE = "<!-- Computed from the op table by tools/make_docs.py. -->\n"


def sections(doc: str) -> dict[str, list[str]]:
    """A docstring in parts: the description under "", then each section under its heading."""
    parts: dict[str, list[str]] = {"": []}
    current = ""
    for line in doc.splitlines():
        if re.fullmatch(r"[A-Z][a-z]+:", line):
            current = line[:-1]
            parts[current] = []
        else:
            parts[current].append(line)
    return parts


def listed(lines: Iterable[str]) -> list[str]:
    """``name: text`` with indented lines after it, as a list."""
    items: list[str] = []
    for line in lines:
        text = line.strip()
        if text and len(line) - len(line.lstrip()) <= 4 and re.match(r"\**\w+: ", text):
            name, _, rest = text.partition(": ")
            items.append(f"- `{name}`: {rest}")
        elif text and items:
            items[-1] += f" {text}"
        elif text:
            items.append(f"- {text}")
    return items


def markdown(doc: str) -> list[str]:
    """A docstring as Markdown."""
    parts = sections(doc)
    out = ["\n".join(parts.pop("")).strip()]
    for heading, lines in parts.items():
        if heading in ("Args", "Raises", "Attributes"):
            out.append(f"{heading}:\n\n" + "\n".join(listed(lines)))
        else:
            text = " ".join(line.strip() for line in lines if line.strip())
            out.append(f"{heading}: {text}")
    return [part.replace("``", "`") for part in out if part.strip()]


def primary(name: str) -> tuple[int, int, str]:
    """Sort key of a function's public names: first those within a namespace, as TensorFlow's reference has them."""
    return int("." not in name), name.count("."), name


def page_of(name: str) -> str:
    """The page of a function: the namespace of its first public name."""
    return ".".join(("tf", name)).rpartition(".")[0]


def signature(name: str, function: Callable[..., Any]) -> str:
    """Returns how a function is called, without annotations."""
    parameters = describe.signature_of(function).parameters.values()
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    return f"tf.{name}{describe.readable(inspect.Signature(plain))}"


def in_r(name: str) -> str:
    """The same name in R."""
    return "tf$" + name.replace(".", "$")


def facts(op: Any) -> str:
    """Returns what the table says about an op, in a line."""
    said = [f"Op: `{op.type}`"]
    if op.r:
        said.append(f"R generic: `{op.r}`")
    types = "any" if op.dtypes == dtypes.ANY else ", ".join(sorted(d.name for d in op.dtypes))
    said += [
        f"types: {types}",
        f"devices: {', '.join(op.devices)}",
        f"gradient: {describe.gradient(op)}",
    ]
    return "; ".join(said) + "."


def entry(names: list[str], function: Callable[..., Any]) -> str:
    """A function's part of a page."""
    first, *others = names
    parts = [f"## tf.{first}", f"```python\n{signature(first, function)}\n```"]
    parts += markdown(inspect.getdoc(function) or "")
    also = ", ".join(f"`tf.{name}`" for name in others)
    line = f"In R: `{in_r(first)}()`." + (f" Also as {also}." if also else "")
    parts.append(line)
    op = getattr(function, "op", None)
    if op is not None:
        parts.append(facts(op))
    differs = deviation_links.links(names)
    if differs:
        parts.append(f"Where it differs from TensorFlow: {'; '.join(differs)}.")
    return "\n\n".join(parts)


def pages() -> dict[str, str]:
    """Every page by its file name."""
    names: dict[Callable[..., Any], list[str]] = defaultdict(list)
    for name, function in {**API, **numpy_functions()}.items():
        names[function].append(name)
    spaces: dict[str, dict[str, str]] = defaultdict(dict)
    for function, found in names.items():
        ordered = sorted(found, key=primary)
        spaces[page_of(ordered[0])][ordered[0]] = entry(ordered, function)
    done = {"index.md": index(spaces)}
    for space, entries in spaces.items():
        body = "\n\n".join(text for _, text in sorted(entries.items()))
        done[f"{space}.md"] = f"{NOTICE}# {space}\n\n{body}\n"
    return done


def numpy_functions() -> dict[str, Callable[..., Any]]:
    """The functions of tf.experimental.numpy by public name."""
    return {
        f"experimental.numpy.{name}": value
        for name, value in registry.public().items()
        if inspect.isfunction(value) and value.__module__.startswith("twinflow.")
    }


def index(spaces: dict[str, dict[str, str]]) -> str:
    """The page that leads to the others."""
    parts = [
        f"{NOTICE}# Reference",
        "Functions of `tf`, by namespace. In R, `tf.math.exp(x)` is `tf$math$exp(x)`; what R's own verbs\n"
        "such as `+`, `exp()` and `[` do is in the R package's help pages. The functions of `tf.raw_ops` have [a page](raw_ops.md)\n"
        "of their own.",
    ]
    for space in sorted(spaces):
        links = [
            f"[{name}]({space}.md#{deviation_links.anchor(f'tf.{name}')})"
            for name in sorted(spaces[space])
        ]
        parts.append(f"## [{space}]({space}.md)\n\n{', '.join(links)}")
    parts.append("## Operations by type\n\nThe names that the placement log shows.")
    rows = ["| type | public names | gradient | what it does |", "| --- | --- | --- | --- |"]
    for item in sorted(describe.table(), key=lambda item: item["type"]):
        public = ", ".join(f"`tf.{name}`" for name in item["api"]) or "-"
        rows.append(
            f"| `{item['type']}` | {public} | {item['gradient']} | {item['summary'].replace('|', chr(92) + '|')} |"
        )
    parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def documents() -> tuple[dict[str, str], dict[str, str]]:
    """The reference pages by file name, and the tracked documents by path within ``docs``."""
    names = (
        late_names.text()
    )  # first of all: it imports every module, so that the table is complete
    reference = {**pages(), "raw_ops.md": raw_page.page(NOTICE)}
    return reference, {"coverage.md": coverage_page.page(NOTICE), NAMES: names}


def write_reference(folder: pathlib.Path, reference: dict[str, str]) -> None:
    """Writes the reference pages and removes those of namespaces that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in folder.glob("*.md"):
        if page.name not in reference:
            page.unlink()
    for name, text in reference.items():
        (folder / name).write_text(text, "utf-8")


def main() -> int:
    """Writes the documents, or compares those that are tracked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--reference", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    reference, tracked = documents()
    if options.check:
        stale = sorted(n for n, text in tracked.items() if (DOCS / n).read_text("utf-8") != text)
        print(f"out of date: {', '.join(stale)}; run make docs" if stale else "up to date")
        return 1 if stale else 0
    if not options.reference:
        for name, text in tracked.items():
            (DOCS / name).write_text(text, "utf-8")
    folder = options.reference or DOCS / "reference"
    write_reference(folder, reference)
    print(f"{len(reference)} pages with {len(API)} names and {len(OPS)} ops in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
