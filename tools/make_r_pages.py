"""Computes R's help pages of what is under `tf$`: rpkg/man/tf-*.Rd, and their list in rpkg/R/pages.R.

python tools/make_r_pages.py    # rpkg/data-raw/document.R runs it
"""

from __future__ import annotations

import inspect
import pathlib
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from make_docs import in_r, signature

import twinflow
from twinflow._src.dispatch.op import API

MAN = pathlib.Path(__file__).resolve().parent.parent / "rpkg" / "man"
PAGE_OF_TF = MAN.parent / "R" / "pages.R"
NOTICE = "% Computed from the op table by tools/make_r_pages.py.\n"
SMALLEST = 4  # functions; namespaces with fewer share a page
REST = "others"

# Titles with the words that people search for; a namespace without one is titled by its path.
TITLES = {
    "": "Create, convert, slice and combine tensors, gradients and functions: tf$...",
    "autograph": "Control flow of traced functions: tf$autograph",
    "bitwise": "Bitwise and, or, xor and shifts of integers: tf$bitwise",
    "compat.v1": "Functions of TensorFlow 1: tf$compat$v1",
    "compat.v1.image": "Image functions of TensorFlow 1: tf$compat$v1$image",
    "compat.v1.nn": "Neural network functions of TensorFlow 1: tf$compat$v1$nn",
    "compat.v1.summary": "Summaries of TensorFlow 1: tf$compat$v1$summary",
    "config": "Devices, GPUs and placement: tf$config",
    "config.experimental": "Memory and memory growth of GPUs: tf$config$experimental",
    "config.optimizer": "Optimization of graphs: tf$config$optimizer",
    "config.threading": "Number of threads: tf$config$threading",
    "debugging": "Assertions and checks of numbers and shapes: tf$debugging",
    "experimental": "Extension types, optional values and other experiments: tf$experimental",
    "image": "Images: resize, crop, colour, decode and encode: tf$image",
    "initializers": "Initial values of weights: tf$initializers",
    "io": "Files, TFRecords, and parsing of examples: tf$io",
    "io.gfile": "Files and directories: tf$io$gfile",
    "keras.initializers": "Initial values of weights, by Keras' names: tf$keras$initializers",
    "keras.losses": "Loss functions: cross-entropy, squared error, Huber: tf$keras$losses",
    "keras.metrics": "Metrics: accuracy, precision, recall, AUC: tf$keras$metrics",
    "keras.optimizers": "Optimizers: Adam, SGD, RMSprop and others: tf$keras$optimizers",
    "keras.optimizers.schedules": "Learning rate schedules: tf$keras$optimizers$schedules",
    "linalg": "Linear algebra: products, decompositions, solvers, norms: tf$linalg",
    "math": "Mathematics, reductions and sums by segment: tf$math",
    "math.special": "Bessel and other special functions: tf$math$special",
    "nest": "Nested lists of tensors: tf$nest",
    "nn": "Neural networks: activations, convolutions, pooling, normalization: tf$nn",
    "quantization": "Quantization: tf$quantization",
    "ragged": "Rows of different lengths: tf$ragged",
    "random": "Random numbers, seeds and sampling: tf$random",
    "random.experimental": "Stateless random numbers and generators: tf$random$experimental",
    "sets": "Unions, intersections and differences: tf$sets",
    "signal": "Fourier transforms, windows and spectra: tf$signal",
    "sparse": "Sparse tensors: tf$sparse",
    "strings": "Strings: split, join, replace, convert: tf$strings",
    "summary": "Logs for TensorBoard: tf$summary",
    "summary.experimental": "Steps of logs for TensorBoard: tf$summary$experimental",
    "test": "Checks of the machine: tf$test",
    "types.experimental": "Types of traced functions: tf$types$experimental",
    REST: "Functions in small namespaces of tf",
}
# Namespaces of classes that are not in the op table.
CLASSES = ("keras.optimizers", "keras.optimizers.schedules", "keras.losses", "keras.metrics")
EXAMPLES = {
    "keras.optimizers": """w <- tf$Variable(5)
  optimizer <- tf$keras$optimizers$Adam(learning_rate = 0.5)
  for (i in 1:50) {
    with(tf$GradientTape() %as% tape, loss <- (w - 2)^2)
    optimizer$apply_gradients(zip_lists(tape$gradient(loss, list(w)), list(w)))
  }
  w""",
    "keras.losses": """loss <- tf$keras$losses$MeanSquaredError()
  loss(c(1, 2), c(1.5, 2))
  tf$keras$losses$huber(c(1, 2), c(1.5, 4))""",
    "keras.metrics": """accuracy <- tf$keras$metrics$SparseCategoricalAccuracy()
  accuracy$update_state(c(1L, 0L), matrix(c(0.1, 0.7, 0.9, 0.3), 2))
  accuracy$result()""",
    "keras.optimizers.schedules": """rate <- tf$keras$optimizers$schedules$ExponentialDecay(0.1, 100L, 0.5)
  rate(200L)""",
    "": "tf$matmul(as_tensor(diag(2)), as_tensor(matrix(1:4 + 0, 2)))",
    "math": "tf$math$reduce_sum(as_tensor(matrix(1:4, 2)), axis = 1L)",
    "linalg": "tf$linalg$cholesky(as_tensor(matrix(c(2, 1, 1, 2), 2)))",
    "nn": "tf$nn$softmax(c(1, 2, 3))",
    "random": "tf$random$stateless_normal(shape(2), seed = c(1L, 2L))",
}

PAGE = """\\name{{tf-{slug}}}
\\alias{{tf-{slug}}}
{aliases}
\\title{{{title}}}
\\description{{
{about}
Sizes, axes and indices are whole numbers and count from 0, as in Python; tensors, R vectors and arrays can be
given alike (see \\code{{\\link{{tf}}}}).
}}
\\section{{Functions}}{{
\\describe{{
{items}
}}
}}
\\seealso{{
\\code{{\\link{{tf}}}} for the other namespaces; R's own operators and functions of tensors:
\\code{{\\link{{Ops.twinflow_tensor}}}}, \\code{{\\link{{reductions}}}}, \\code{{\\link{{vector-methods}}}}.
}}
\\examples{{
if (twinflow_available()) {{
  {example}
}}
}}
"""


def escaped(text: str) -> str:
    """Text as Rd takes it."""
    for sign in "\\%{}":
        text = text.replace(sign, f"\\{sign}")
    return text


def sentence(function: Callable[..., Any]) -> str:
    """The first sentence of a docstring."""
    doc = (inspect.getdoc(function) or "").split("\n\n")[0]
    text = " ".join(doc.split())
    for python, r in (("None", "NULL"), ("True", "TRUE"), ("False", "FALSE")):
        text = re.sub(rf"\b{python}\b", r, text)
    return text


def marked_up(text: str) -> str:
    """A sentence with its code as Rd marks it up."""
    parts = re.split(r"``(.+?)``", text)
    return "".join(
        f"\\code{{{escaped(part)}}}" if i % 2 else escaped(part) for i, part in enumerate(parts)
    )


def r_values(arguments: str) -> str:
    """Arguments with their values as R writes them."""
    text = re.sub(r"=(-?\d+)(?=[,)\]]|$)", r"=\1L", arguments).replace("tf.", "tf$")
    text = re.sub(r"\*\*?\w+(, \*\*\w+)?", "...", text)
    text = re.sub(r"<\w+\.\w+: ('\w+')>", r"\1", text)  # a member of an enumeration, by its value
    for python, r in (("None", "NULL"), ("True", "TRUE"), ("False", "FALSE"), ("=", " = ")):
        text = text.replace(python, r)
    return text


def item(name: str, function: Callable[..., Any]) -> str:
    """A function's line: how it is called from R, and what it gives."""
    call = signature(name, function).partition("(")[2].partition(" -> ")[0].rstrip(")")
    generic = getattr(getattr(function, "op", None), "r", None)
    verb = f" R's verb: \\code{{{escaped(generic)}}}." if generic else ""
    shown = f"{escaped(in_r(name))}({escaped(r_values(call))})"
    return f"\\item{{\\code{{{shown}}}}}{{{marked_up(sentence(function))}{verb}}}"


def grouped() -> dict[str, dict[str, Callable[..., Any]]]:
    """The functions by namespace."""
    found: dict[str, dict[str, Callable[..., Any]]] = defaultdict(dict)
    for name, function in API.items():
        found[name.rpartition(".")[0]][name] = function
    for namespace in CLASSES:
        found[namespace] = members_of(namespace)
    rest: dict[str, Callable[..., Any]] = {}
    for namespace in [n for n, members in found.items() if len(members) < SMALLEST]:
        rest |= found.pop(namespace)
    return {**found, REST: rest}


def members_of(namespace: str) -> dict[str, Callable[..., Any]]:
    """The public functions and classes of a namespace."""
    module: Any = twinflow
    for part in namespace.split("."):
        module = getattr(module, part)
    members = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
    return {
        f"{namespace}.{name}": value
        for name, value in members.items()
        if callable(value) and not inspect.ismodule(value)
    }


def aliases(pages: dict[str, dict[str, Callable[..., Any]]]) -> dict[str, list[str]]:
    """The aliases of each page: ``tf$math$add``, and ``add`` where no function of R has the name.

    A name that several namespaces have leads to the shortest of them.
    """
    taken = topics_of_r() | topics_by_hand()
    found: dict[str, list[str]] = {namespace: [] for namespace in pages}
    paths = [(name, namespace) for namespace, members in pages.items() for name in members]
    for name, namespace in sorted(paths, key=lambda each: (each[0].count("."), each)):
        for alias in (in_r(name), name.rpartition(".")[2]):
            if alias not in taken:
                taken.add(alias)
                found[namespace].append(alias)
    return found


def topics_of_r() -> set[str]:
    """The names of base R's packages, and of those that users of this one load with it."""
    code = """for (p in c("base", "stats", "utils", "methods", "graphics", "grDevices", "datasets", "reticulate"))
        writeLines(c(getNamespaceExports(p), ls(asNamespace(p))))"""
    listed = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    return set(listed.stdout.split("\n"))


def topics_by_hand() -> set[str]:
    """The aliases of the pages that roxygen writes."""
    pages = [path.read_text("utf-8") for path in MAN.glob("*.Rd")]
    texts = [text for text in pages if not text.startswith(NOTICE)]
    return {
        alias.replace("\\", "") for text in texts for alias in re.findall(r"\\alias\{(.+)\}", text)
    }


def page(namespace: str, members: dict[str, Callable[..., Any]], names: list[str]) -> str:
    """The help page of a namespace."""
    path = "tf" + "".join(f"${part}" for part in namespace.split(".") if part)
    items = "\n".join(item(name, members[name]) for name in sorted(members))
    is_path = namespace not in ("", REST)
    example = EXAMPLES.get(namespace) or f"head(names({path if is_path else 'tf'}))"
    return NOTICE + PAGE.format(
        slug=slug_of(namespace),
        aliases="\n".join(f"\\alias{{{escaped(name)}}}" for name in sorted(names)),
        title=escaped(TITLES.get(namespace, f"Functions under {path}")),
        about=f"The functions of \\code{{{path}}}, a line each." if is_path else "A line for each.",
        items=items,
        example=example.replace("%", "\\%"),
    )


def slug_of(namespace: str) -> str:
    """The part of a page's name after ``tf-``."""
    return namespace.replace(".", "-") or "functions"


def overview(pages: dict[str, dict[str, Callable[..., Any]]]) -> str:
    """The list of all pages, which ``?tf`` includes."""
    rows = []
    for namespace in sorted(pages, key=lambda name: (name == REST, name)):
        title = TITLES.get(namespace, f"Functions under tf${namespace}").rpartition(": ")
        name = title[2].replace("...", "name()")
        rows.append(
            f"#' * [`{name}`][tf-{slug_of(namespace)}]" + (f": {title[0]}." if title[0] else ".")
        )
    return "\n".join(rows) + "\n"


def main() -> None:
    """Writes the pages and their list, and removes those of namespaces that are gone."""
    pages = grouped()
    names = aliases(pages)
    texts = {f"tf-{slug_of(n)}.Rd": page(n, members, names[n]) for n, members in pages.items()}
    for old in MAN.glob("tf-*.Rd"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        (MAN / name).write_text(text, "utf-8")
    source = PAGE_OF_TF.read_text("utf-8")
    head = "#' Functions by namespace:\n#'\n"
    start = source.index(head) + len(head)
    end = source.index("#'\n", start)
    PAGE_OF_TF.write_text(source[:start] + overview(pages) + source[end:], "utf-8")


if __name__ == "__main__":
    main()
