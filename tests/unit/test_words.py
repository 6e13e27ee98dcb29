"""Rules of the project's prose that can be checked."""

import ast
import functools
import re
from pathlib import Path

import pytest

import twinflow as tf

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [Path(tf.__file__).parent, *(f for f in (ROOT / "tests", ROOT / "tools") if f.exists())]
FILES = [path for folder in FOLDERS for path in sorted(folder.rglob("*.py"))]
QUESTION = re.compile(r"(What|Where|How|Whether|Which|Who|Whose|When)\b")
KINDS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@functools.cache
def read(path):
    """The docstrings, function names and bare names of a file; a syntax tree would keep thousands of objects alive."""
    tree = ast.parse(path.read_text("utf-8"))
    nodes = list(ast.walk(tree))
    docstrings = [
        doc for node in nodes if isinstance(node, KINDS) and (doc := ast.get_docstring(node))
    ]
    functions = [
        (node.lineno, node.name)
        for node in nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    return docstrings, functions, list(bare_names(tree))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_docstrings_begin_with_a_noun_or_a_verb(folder):
    files = [path for path in FILES if path.is_relative_to(folder)]
    assert files
    questions = [
        f"{path.relative_to(folder)}: {doc.splitlines()[0]}"
        for path in files
        for doc in read(path)[0]
        if QUESTION.match(doc)
    ]
    assert questions == []


_PARTICIPLES = (
    "asked begun beside brought caught chosen cut done drawn fitted found given grown held joined kept known laid "
    "lent made moved picked placed said seen sent settled shown spread taken told turned whole"
)
PARTICIPLES = frozenset(_PARTICIPLES.split())


def test_functions_are_not_named_by_bare_participles():
    """Functions, methods and nested functions are named by what they do: ``gather_rows``, not ``taken``."""
    names = {
        f"{path.relative_to(FOLDERS[0])}:{line}: {name}"
        for path in FILES
        if path.is_relative_to(FOLDERS[0])
        for line, name in read(path)[1]
        if name.strip("_") in PARTICIPLES
    }
    assert names == set()


_BARE = "asked extremes found given held known made own pieces room settled told walk wanted"
BARE = frozenset(_BARE.split())
PRIVATE = FOLDERS[0] / "_src"
PRIVATE_FOLDERS = sorted({path.relative_to(PRIVATE).parts[0] for path in PRIVATE.rglob("*/*.py")})


def bare_names(tree):
    """Line and name of each parameter, variable and attribute that is stored under a bare word."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.attr
        else:
            continue
        if name.strip("_") in BARE:
            yield node.lineno, name


@pytest.mark.parametrize("folder", PRIVATE_FOLDERS)
def test_values_are_not_named_by_bare_words(folder):
    """A value is named by what it is: ``result``, ``args`` or ``dtype``, not ``found``."""
    files = [path for path in FILES if path.is_relative_to(PRIVATE / folder)]
    assert files
    names = {
        f"{path.relative_to(FOLDERS[0])}:{line}: {name}"
        for path in files
        for line, name in read(path)[2]
    }
    assert names == set()


def test_bare_names_are_found():
    tree = ast.parse(
        "def f(given, *told, x=1, **_held):\n    found, self._known = given, x\n    f(made=1)"
    )
    assert sorted(bare_names(tree)) == [
        (1, "_held"),
        (1, "given"),
        (1, "told"),
        (2, "_known"),
        (2, "found"),
    ]
