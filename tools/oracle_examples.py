"""Runs the examples of TensorFlow's docstrings on TensorFlow and on twinflow, and compares them.

    TF_PYTHON oracle_examples.py collect examples.json
    TF_PYTHON oracle_examples.py run examples.json tensorflow.json
    python -m twinflow.run tools/oracle_examples.py run examples.json twinflow.json
    python oracle_examples.py compare examples.json tensorflow.json [again.json] twinflow.json

What counts is what TensorFlow answers, not what a docstring says. Processes run up to 25 docstrings each; one that
hangs or crashes loses the rest of its docstring. An answer is the printed text, the value's representation, new variables and the exception's class. Examples that
TensorFlow answers differently in a second run (``again.json``) are left out. ``make oracle-examples`` does all.

Regular expressions of names may follow ``run``; with EXAMPLE_V1 set, examples of ``compat.v1`` run in graph mode.
EXAMPLE_SECONDS is the time limit of a docstring, which is 30.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import doctest
import functools
import inspect
import itertools
import json
import linecache
import os
import pickle
import random
import re
import signal
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SKIPPED = re.compile(r"(compat\.v[12]\.)?(keras|tpu|lite|mlir|xla|contrib|compat\.v[12]\.compat)\b")
FENCE = re.compile(r"^([ \t]*)```(?:python|py|)[ \t]*\n(.*?)^[ \t]*```", re.M | re.S)
LIMIT = int(os.environ.get("EXAMPLE_SECONDS", "30"))
Answer = dict[str, Any]


def main(arguments: list[str]) -> None:
    """Does what the first argument says."""
    verb, *rest = arguments
    {"collect": collect, "run": run, "compare": compare}[verb](*rest)


# -- collect ----------------------------------------------------------------------------------------


def collect(path: str) -> None:
    """Writes the examples of all public symbols, each docstring once."""
    import tensorflow as tf

    entries, texts = [], set()
    for name, value in _symbols(tf, "", set()):
        text = inspect.getdoc(value) if _has_own_doc(value) else None
        if not text or text in texts or SKIPPED.match(name):
            continue
        texts.add(text)
        blocks = list(_blocks(text))
        if blocks:
            entries.append({"name": name, "blocks": blocks})
    Path(path).write_text(json.dumps(entries, indent=1))
    print(f"{len(entries)} docstrings with {sum(len(e['blocks']) for e in entries)} blocks")


def _symbols(owner: Any, prefix: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Yields names and values of modules, and of the members of classes, each object once."""
    for name in sorted(dir(owner), key=lambda n: (n == "compat", n)):
        full = f"{prefix}{name}"
        if (name.startswith("_") and name != "__init__") or SKIPPED.match(full):
            continue
        try:
            value = (
                inspect.getattr_static(owner, name)
                if inspect.isclass(owner)
                else getattr(owner, name)
            )
        except Exception:  # a lazy module that is not installed
            continue
        value = getattr(value, "__func__", value)
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield full, value
        if inspect.isclass(value) or (
            inspect.ismodule(value) and "tensorflow._api" in value.__name__
        ):
            yield from _symbols(value, f"{full}.", seen)


def _has_own_doc(value: Any) -> bool:
    return callable(value) or isinstance(value, property) or inspect.ismodule(value)


def _blocks(text: str) -> Iterator[list[str]]:
    """Yields the statements of each fenced block, and of all doctest examples together."""
    try:
        examples = [e.source for e in doctest.DocTestParser().get_examples(text)]
    except ValueError:
        examples = []
    if examples:
        yield examples
    for _, body in FENCE.findall(text):
        if ">>>" not in body and (statements := _statements(textwrap.dedent(body))):
            yield statements


def _statements(source: str) -> list[str]:
    """Returns the source of each statement, without lines that are no Python."""
    lines = source.splitlines(keepends=True)
    while lines:
        try:
            nodes = ast.parse("".join(lines)).body
        except SyntaxError as error:
            del lines[min(error.lineno or 1, len(lines)) - 1]
            continue
        ends = [n.end_lineno or 0 for n in nodes]
        return ["".join(lines[a:b]) for a, b in zip([0, *ends], ends, strict=False)]
    return []


# -- run --------------------------------------------------------------------------------------------


def run(path: str, out: str, only: str = "", workers: str = "2") -> None:
    """Runs the examples and writes the answers: for each docstring a list for each block."""
    import tensorflow  # noqa: F401  (processes share what the import has read)

    with contextlib.suppress(ImportError):
        import keras  # noqa: F401

    entries = json.loads(Path(path).read_text())
    if os.path.exists(only):
        wanted = set(Path(only).read_text().split("\n"))
    else:
        wanted = {e["name"] for e in entries if re.search(only, e["name"])}
    chunks = _chunks([e for e in entries if e["name"] in wanted])
    answers: dict[str, list[list[Answer]]] = {}
    running: dict[int, tuple[list[dict[str, Any]], str]] = {}
    while chunks or running:
        while chunks and len(running) < int(workers):
            chunk, file = chunks.pop(0), tempfile.mktemp()
            child = os.fork()
            if not child:
                _child(chunk, file)
            running[child] = (chunk, file)
        child, _ = os.wait()
        if child in running:
            chunk, file = running.pop(child)
            answers |= (done := _collected(file, chunk))
            if len(done) < len(chunk):
                chunks.insert(0, chunk[len(done) :])
            print(len(answers), flush=True)
            Path(out).write_text(json.dumps(answers, indent=1))
    Path(out).write_text(json.dumps(answers, indent=1))
    print(f"{len(answers)} docstrings, {sum(len(b) for e in answers.values() for b in e)} examples")


def _chunks(entries: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Returns lists of entries that share a process: those that change its state have one alone."""
    chunks: list[list[dict[str, Any]]] = []
    for entry in entries:
        alone = re.search(r"v1|config|enable|disable|distribut|cluster|Strateg", json.dumps(entry))
        if alone or not chunks or len(chunks[-1]) >= 25 or chunks[-1][0].get("alone"):
            chunks.append([])
        chunks[-1].append(entry | {"alone": bool(alone)})
    return chunks


def _collected(file: str, chunk: list[dict[str, Any]]) -> dict[str, list[list[Answer]]]:
    """Returns the answers by names, as far as the process came; the rest of its last docstring is lost."""
    rows = []
    with open(file, "rb") as stream, contextlib.suppress(EOFError, pickle.UnpicklingError):
        while True:
            rows.append(pickle.load(stream))
    os.remove(file)
    missing = {"error": "Lost", "text": "the process ended or took too long"}
    answers: dict[str, list[list[Answer]]] = {}
    for entry in chunk:
        done = iter([answer for name, answer in rows if name == entry["name"]])
        answers[entry["name"]] = [[next(done, missing) for _ in b] for b in entry["blocks"]]
        if answers[entry["name"]][-1][-1] is missing:
            break
    return answers


def _child(chunk: list[dict[str, Any]], file: str) -> None:
    """Runs the blocks of docstrings, each with fresh names, and ends the process."""
    os.chdir(tempfile.mkdtemp())
    texts = os.open("printed.txt", os.O_RDWR | os.O_CREAT)
    os.dup2(texts, 1)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    errors = os.open("errors.txt", os.O_RDWR | os.O_CREAT)
    os.dup2(errors, 2)
    with open(file, "wb") as stream:
        for entry in chunk:
            os.chdir(tempfile.mkdtemp())
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(LIMIT)
            for block in entry["blocks"]:
                names = _surroundings(entry["name"])
                for source in block:
                    answer = _answer(source, names, (texts, errors))
                    pickle.dump((entry["name"], answer), stream)
                    stream.flush()
    os._exit(0)


def _surroundings(name: str) -> dict[str, Any]:
    import numpy as np
    import tensorflow as tf

    np.random.seed(1)
    random.seed(1)
    tf.random.set_seed(1)
    np.set_printoptions(legacy=False)
    if name.startswith("compat.v1.") and os.environ.get("EXAMPLE_V1"):
        tf.compat.v1.disable_v2_behavior()
        tf = tf.compat.v1
    names = {"tf": tf, "np": np, "os": os, "__name__": "__main__"}
    with contextlib.suppress(AttributeError):  # examples call classes by their last name
        names[name.split(".")[-1]] = functools.reduce(getattr, name.split("."), names["tf"])
    return names


def _answer(source: str, names: dict[str, Any], files: tuple[int, int]) -> Answer:
    """Runs one example as the interactive interpreter does."""
    answer: Answer = {}
    before = dict(names)
    for file in files:
        os.ftruncate(file, 0)
        os.lseek(file, 0, 0)
    shown: list[Any] = []
    sys.displayhook = shown.append
    path = f"<example {next(_numbers)}>"  # AutoGraph reads the sources of functions
    linecache.cache[path] = len(source), None, source.splitlines(keepends=True), path
    try:
        exec(compile(source, path, "single", dont_inherit=True), names)
        answer["shown"] = [_text(v) for v in shown if v is not None]
    except BaseException as error:
        answer["error"], answer["text"] = type(error).__name__, str(error)[:1500]
        answer["bases"] = [t.__name__ for t in type(error).__mro__]
        answer["where"] = _frames(error)
    sys.stdout.flush()
    sys.stderr.flush()
    answer["printed"], answer["errors"] = (_printed(f) for f in files)
    new = {k: v for k, v in names.items() if k not in before or before[k] is not v}
    answer["new"] = {k: _text(v) for k, v in new.items() if not k.startswith("__")}
    return answer


_numbers = itertools.count()


def _frames(error: BaseException) -> list[str]:
    rows, trace = [], error.__traceback__
    while trace:
        rows.append(f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}")
        trace = trace.tb_next
    return rows[-6:]


def _printed(file: int) -> str:
    size = os.lseek(file, 0, 2)
    return os.pread(file, min(size, 20000), 0).decode(errors="replace")


def _text(value: Any) -> str:
    try:
        return repr(value)[:5000]
    except Exception as error:
        return f"no repr: {type(error).__name__}: {error}"[:300]


# -- compare ----------------------------------------------------------------------------------------


def compare(path: str, *answers: str) -> None:
    """Prints how many examples are equal, and those that are not, by kinds."""
    entries = {e["name"]: e["blocks"] for e in json.loads(Path(path).read_text())}
    theirs, *again, ours = (json.loads(Path(p).read_text()) for p in answers)
    counts: collections.Counter[str] = collections.Counter()
    for name, blocks in ours.items():
        for b, block in enumerate(blocks):
            for i, mine in enumerate(block):
                its = theirs[name][b][i]
                others = [a[name][b][i] for a in again]
                kind = _kind(its, others, mine)
                counts[kind.split(":")[0]] += 1
                if kind not in ("equal", "volatile"):
                    print(f"== {name} [{b}.{i}] {kind}\n{entries[name][b][i].rstrip()}")
                    print(_difference(its, mine))
    print(dict(counts.most_common()))


def _kind(its: Answer, others: list[Answer], mine: Answer) -> str:
    its, mine, others = _normal(its), _normal(mine), [_normal(o) for o in others]
    for key in ("error", "printed", "shown", "new"):
        if _is_close(its.get(key), mine.get(key)):
            continue
        if any(its.get(key) != o.get(key) for o in others):
            return "volatile"
        if key == "error":
            return f"error: {its.get(key)} {mine.get(key)}"
        return key
    return "equal"


NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?|-?\.\d+|\s+")


def _is_close(a: Any, b: Any) -> bool:
    """True for equal values, and for texts that differ in the last digits of numbers only."""
    if a == b:
        return True
    a, b = json.dumps(a).replace("\\n", " "), json.dumps(b).replace("\\n", " ")
    if NUMBER.sub("", a) != NUMBER.sub("", b):
        return False
    x, y = ([float(n) for n in NUMBER.findall(t) if n.strip()] for t in (a, b))
    return len(x) == len(y) and all(
        abs(m - n) <= 2e-5 * max(abs(m), 1) for m, n in zip(x, y, strict=True)
    )


NORMAL = [
    (re.compile(r"<[\w.]+ (?:object|at) .{0,4}0x[0-9a-fA-F]+>|0[xX][0-9a-fA-F]{6,}"), "<object>"),
    (re.compile(r"tensorflow\.python(\.\w+)*\.|twinflow(\._src)?(\.\w+)*\.|tensorflow\."), "tf."),
    (re.compile(r"/tmp/\w+"), "/tmp/x"),
]
FUNCTION = re.compile(r"<(function|module|bound method) .*>"), r"<\1>"


def _normal(answer: Answer) -> Answer:
    """Returns what is compared, without addresses, modules and names of folders."""
    keys = ("error", "printed", "shown", "new")
    text = json.dumps({k: v for k, v in answer.items() if k in keys})
    for pattern, new in NORMAL:
        text = pattern.sub(new, text)
    result: Answer = json.loads(text)
    pattern, new = FUNCTION
    result["new"] = {k: pattern.sub(new, v) for k, v in (result.get("new") or {}).items()}
    result["shown"] = [pattern.sub(new, v) for v in result.get("shown") or []]
    return result


def _difference(its: Answer, mine: Answer) -> str:
    rows = []
    for key in ("error", "text", "printed", "shown", "new"):
        a, b = its.get(key), mine.get(key)
        if isinstance(a, dict) and isinstance(b, dict):
            a, b = (
                {
                    k: v
                    for k, v in x.items()
                    if (x is a and v != b.get(k)) or (x is b and v != a.get(k))
                }
                for x in (a, b)
            )
        if a != b:
            rows.append(f"  - {key}: {str(a)[:700]}\n  + {key}: {str(b)[:700]}")
    if mine.get("error") and not its.get("error"):
        rows.append("  at " + " ".join(mine.get("where", [])[-3:]))
    return "\n".join(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
