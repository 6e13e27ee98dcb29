"""Computes R's table of verbs and its methods: rpkg/R/generated-verbs.R, and their rows in NAMESPACE.

    python tools/make_r_verbs.py            # make docs runs it
    python tools/make_r_verbs.py --check    # compares only

The verbs are the R generics of ops (``r=`` in their blocks), of functions composed of ops, and of the R bridge; see
``twinflow.describe``. A generic outside R's group generics gets a method, unless another file has one.
"""

from __future__ import annotations

import pathlib
import re
import sys

from twinflow._src.api import describe

RPKG = pathlib.Path(__file__).resolve().parent.parent / "rpkg"
TARGET, NAMESPACE = RPKG / "R" / "generated-verbs.R", RPKG / "NAMESPACE"
# The members of R's group generics Math, Complex and matrixOps that can be verbs; Ops and Summary have kinds of their own.
GROUPS = """
    abs sign sqrt floor ceiling trunc round signif exp log expm1 log1p log2 log10 cos sin tan cospi sinpi tanpi acos asin atan
    cosh sinh tanh acosh asinh atanh lgamma gamma digamma trigamma cumsum cumprod cummax cummin Arg Conj Im Mod Re ^ %*%
    crossprod tcrossprod sum prod min max all any range"""
HEAD = """# Computed from the op table by tools/make_r_verbs.py. Do not edit: an op names its verb by `r=` in its block.

# The one table behind the generics: R's name on the left, the core's on the right. Names that start with "r." are in
# the Python side of the bridge (_src/r_bridge).
"""
METHOD = """
#' @rdname Ops.twinflow_tensor
#' @export
{verb}.twinflow_tensor <- function(x, ...) {{
  call_python(verb("{verb}"), x, ..., call = sys.call())
}}
"""


def quoted(verb: str) -> str:
    """Returns a verb as the name of an element of a vector in R."""
    return verb if re.fullmatch(r"[A-Za-z.][A-Za-z0-9.]*", verb) else f'"{verb}"'


def vector(verbs: dict[str, str]) -> str:
    """Returns a named character vector as R source, in lines of 100 columns."""
    lines = [""]
    for verb, path in verbs.items():
        item = f'{quoted(verb)} = "{path}", '
        if len(lines[-1]) + len(item) > 94:
            lines.append("")
        lines[-1] += item
    return "\n".join(f"    {line}" for line in lines).rstrip(" ,").replace(", \n", ",\n")


def lacking(verbs: dict[str, dict[str, str]]) -> list[str]:
    """Returns the verbs outside groups of which no other file has a method."""
    sources = "".join(path.read_text() for path in RPKG.glob("R/*.R") if path != TARGET)
    single = [
        verb
        for kind in ("plain", "reduction")
        for verb in verbs[kind]
        if verb not in GROUPS.split()
    ]
    return [verb for verb in single if f"\n{verb}.twinflow_tensor <- function(" not in sources]


def source() -> str:
    """Returns the R file."""
    verbs = describe.r_verbs()
    kinds = ",\n".join(f"  {kind} = c(\n{vector(found)}\n  )" for kind, found in verbs.items())
    methods = [METHOD.format(verb=verb) for verb in lacking(verbs)]
    return f"{HEAD}verb_table <- list(\n{kinds}\n)\n" + "".join(methods)


def namespace() -> str:
    """Returns NAMESPACE with the rows of all verbs."""
    verbs = describe.r_verbs()
    lines = NAMESPACE.read_text().splitlines()
    rows = {f"S3method({verb},twinflow_tensor)" for verb in lacking(verbs)} - set(lines)
    last = max(i for i, line in enumerate(lines) if line.startswith("S3method("))
    methods = [line for line in lines[: last + 1] if line.startswith("S3method(")]
    head = lines[: last + 1 - len(methods)]
    return (
        "\n".join([*head, *(sorted([*methods, *rows]) if rows else methods), *lines[last + 1 :]])
        + "\n"
    )


def main() -> int:
    """Writes both files, or compares them."""
    stale = [
        path for path, text in ((TARGET, source()), (NAMESPACE, namespace())) if read(path) != text
    ]
    if "--check" in sys.argv[1:]:
        print(
            f"out of date: {', '.join(path.name for path in stale)}; run make docs"
            if stale
            else "up to date"
        )
        return 1 if stale else 0
    TARGET.write_text(source())
    NAMESPACE.write_text(namespace())
    return 0


def read(path: pathlib.Path) -> str:
    """Returns the text of a file, empty if there is none."""
    return path.read_text() if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
