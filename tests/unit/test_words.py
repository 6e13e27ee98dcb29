"""Rules of the project's prose that can be checked."""

import ast
import re
from pathlib import Path

import pytest

import twinflow as tf

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [Path(tf.__file__).parent, *(f for f in (ROOT / "tests", ROOT / "tools") if f.exists())]
FILES = [path for folder in FOLDERS for path in sorted(folder.rglob("*.py"))]
QUESTION = re.compile(r"(What|Where|How|Whether|Which|Who|Whose|When)\b")
KINDS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_docstrings_begin_with_a_noun_or_a_verb(folder):
    files = [path for path in FILES if path.is_relative_to(folder)]
    assert files
    questions = [
        f"{path.relative_to(folder)}: {doc.splitlines()[0]}"
        for path in files
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, KINDS) and (doc := ast.get_docstring(node)) and QUESTION.match(doc)
    ]
    assert questions == []


_PARTICIPLES = (
    "asked begun beside brought caught chosen cut done drawn fitted found given grown held joined kept known laid "
    "lent made moved picked placed put said seen sent settled shown spread taken told turned whole"
)
PARTICIPLES = frozenset(_PARTICIPLES.split())


def test_functions_are_not_named_by_bare_participles():
    """A module's function is named by what it does: ``gather_rows``, not ``taken``."""
    names = {
        f"{path.relative_to(FOLDERS[0])}: {node.name}"
        for path in FILES
        if path.is_relative_to(FOLDERS[0])
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.lstrip("_") in PARTICIPLES
    }
    assert names == set()
