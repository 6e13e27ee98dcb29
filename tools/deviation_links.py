"""Links from the reference pages to a function's differences from TensorFlow."""

from __future__ import annotations

import functools
import os
import pathlib
import re
from collections import defaultdict
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The documents, as the reference pages link to them, and the sections that say something else.
_DOCUMENTS = ("docs/differences.md", "tests/golden/deviations.md")
_OTHER = ("Not there yet", "What older guides show otherwise")


def links(names: list[str]) -> list[str]:
    """Links to the sections that mention a function.

    Args:
        names: The public names of the function, without ``tf.``.

    Returns:
        The links in Markdown, relative to ``docs/reference``.
    """
    return list(dict.fromkeys(link for name in names for link in _mentioned().get(name, ())))


@functools.cache
def _mentioned() -> dict[str, list[str]]:
    """Function to links."""
    found: dict[str, list[str]] = defaultdict(list)
    for document in _DOCUMENTS:
        target = os.path.relpath(document, "docs/reference")
        for heading, text in _sections((ROOT / document).read_text("utf-8")):
            link = f"[{heading}]({target}#{anchor(heading)})"
            for name in re.findall(r"`tf\.([\w.]+)`", f"{heading}\n{text}"):
                found[name].append(link)
    return found


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Heading and text of each section."""
    for section in text.split("\n## ")[1:]:
        heading, _, rest = section.partition("\n")
        if heading not in _OTHER:
            yield heading, rest


def anchor(heading: str) -> str:
    """The link to a heading, as Markdown viewers make it."""
    return re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-")
