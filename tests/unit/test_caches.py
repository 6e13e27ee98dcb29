"""The page of caches names every module of the package that keeps one."""

import re
from pathlib import Path

import pytest

import twinflow as tf

PACKAGE = Path(tf.__file__).parent / "_src"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "architecture" / "caches.md"
KEEPS = re.compile(r"functools\.cache\b|lru_cache|TraceCache[(\[]")

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not here")


def test_each_cache_is_on_the_page():
    paths = set(re.findall(r"`([a-z0-9_/]+\.py)`", PAGE.read_text("utf-8")))
    named = {path for path in paths if not path.startswith(("test", "tests"))}
    keeping = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if KEEPS.search(path.read_text("utf-8"))
    }
    assert keeping - named == set()
    assert {name for name in named if not (PACKAGE / name).exists()} == set()
