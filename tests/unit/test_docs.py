"""The computed files: docs/reference, docs/coverage.md and R's verbs are what the op table gives."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
pytestmark = pytest.mark.skipif(not TOOLS.exists(), reason="a source distribution has no documents")


@pytest.mark.parametrize("tool", ["make_docs", "make_r_verbs"])
def test_pages_are_up_to_date(tool: str) -> None:
    command = [sys.executable, TOOLS / f"{tool}.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


def test_names_of_tensorflow_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TOOLS)
    import coverage_page

    assert coverage_page.exists("math.add")
    assert coverage_page.exists("train.Example")
    assert not coverage_page.exists("math.no_such_function")
    assert coverage_page.left("image.resize") == "image processing"
    assert coverage_page.left("compat.v1.image.resize") == "image processing"
    assert coverage_page.left("io.decode_jpeg") == "image formats"
    assert coverage_page.left("io.decode_raw") == ""


def test_links_lead_somewhere() -> None:
    root = TOOLS.parent
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("vignettes/*.Rmd")]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    ]
    assert links
    assert [(str(page), link) for page, link in links if not (page.parent / link).exists()] == []


def test_differences_of_a_function_are_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TOOLS)
    import deviation_links

    assert any(
        "tests/golden/deviations.md#" in link for link in deviation_links.links(["signal.fftnd"])
    )
    assert deviation_links.links(["no_such_function"]) == []
    assert deviation_links.anchor("`__array__` of a scalar") == "__array__-of-a-scalar"


def test_pages_of_the_site_exist() -> None:
    root = TOOLS.parent
    pages = re.findall(r": (\S+\.md)$", (root / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert len(pages) > 10
    assert [page for page in pages if not (root / "docs" / page).exists()] == []
