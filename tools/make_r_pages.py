"""Computes R's help pages of what is under `tf$`: rpkg/man/tf-*.Rd, a page for each namespace.

python tools/make_r_pages.py    # rpkg/data-raw/document.R runs it
"""

from __future__ import annotations

import inspect
import pathlib
import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from make_docs import in_r, signature

from twinflow._src.dispatch.op import API

MAN = pathlib.Path(__file__).resolve().parent.parent / "rpkg" / "man"
NOTICE = "% Computed from the op table by tools/make_r_pages.py.\n"
SMALLEST = 4  # functions; namespaces with fewer share a page
REST = "others"

PAGE = """\\name{{tf-{slug}}}
\\alias{{tf-{slug}}}
\\title{{{title}}}
\\description{{
What each function gives, in a line. Sizes, axes and indices are integers (\\code{{2L}}) and count from 0, as in
Python; tensors, R vectors and arrays can be given alike (see \\code{{\\link{{tf}}}}).
}}
\\section{{Functions}}{{
\\describe{{
{items}
}}
}}
\\seealso{{
R's own verbs for tensors: \\code{{\\link{{Ops.twinflow_tensor}}}}, \\code{{\\link{{reductions}}}}.
}}
\\examples{{
if (twinflow_available()) {{
  {example}
}}
}}
\\keyword{{internal}}
"""


def escaped(text: str) -> str:
    """Text as Rd takes it."""
    for sign in "\\%{}":
        text = text.replace(sign, f"\\{sign}")
    return text


def sentence(function: Callable[..., Any]) -> str:
    """The first sentence of a docstring."""
    doc = (inspect.getdoc(function) or "").split("\n\n")[0]
    return " ".join(doc.split())


def r_values(arguments: str) -> str:
    """Arguments with their values as R writes them."""
    text = re.sub(r"=(-?\d+)(?=[,)\]]|$)", r"=\1L", arguments).replace("tf.", "tf$")
    for python, r in (("None", "NULL"), ("True", "TRUE"), ("False", "FALSE"), ("=", " = ")):
        text = text.replace(python, r)
    return text


def item(name: str, function: Callable[..., Any]) -> str:
    """A function's line: how it is called from R, and what it gives."""
    call = signature(name, function).partition("(")[2].partition(" -> ")[0].rstrip(")")
    generic = getattr(getattr(function, "op", None), "r", None)
    verb = f" R's verb: \\code{{{escaped(generic)}}}." if generic else ""
    shown = f"{escaped(in_r(name))}({escaped(r_values(call))})"
    return f"\\item{{\\code{{{shown}}}}}{{{escaped(sentence(function))}{verb}}}"


def grouped() -> dict[str, dict[str, Callable[..., Any]]]:
    """The functions by namespace."""
    found: dict[str, dict[str, Callable[..., Any]]] = defaultdict(dict)
    for name, function in API.items():
        found[name.rpartition(".")[0]][name] = function
    rest: dict[str, Callable[..., Any]] = {}
    for namespace in [n for n, members in found.items() if len(members) < SMALLEST]:
        rest |= found.pop(namespace)
    return {**found, REST: rest}


def page(namespace: str, members: dict[str, Callable[..., Any]]) -> str:
    """The help page of a namespace."""
    path = "tf" + "".join(f"${part}" for part in namespace.split(".") if part)
    titles = {REST: "Functions in small namespaces of tf", "": "Functions directly under tf"}
    items = "\n".join(item(name, members[name]) for name in sorted(members))
    slug = namespace.replace(".", "-") or "functions"
    example = f"head(names({'tf' if namespace in titles else path}))"
    title = escaped(titles.get(namespace, f"Functions under {path}"))
    return NOTICE + PAGE.format(slug=slug, title=title, items=items, example=example)


def main() -> None:
    """Writes the pages, and takes away those of namespaces that are gone."""
    pages = {
        f"tf-{n.replace('.', '-') or 'functions'}.Rd": page(n, m) for n, m in grouped().items()
    }
    for old in MAN.glob("tf-*.Rd"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        (MAN / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
