"""The computed files: the reference is complete; docs/coverage.md and R's verbs are what the op table says."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
ROOT = TOOLS.parent
LINK = re.compile(r"\]\(([^)\s#:]*)(?:#([^)\s]*))?\)")
pytestmark = pytest.mark.skipif(not TOOLS.exists(), reason="a source distribution has no documents")


def run_tool(tool: str, *options: str | pathlib.Path, seed: str = "0") -> str:
    command = [sys.executable, TOOLS / f"{tool}.py", *options]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout + result.stderr
    return result.stdout


def read_pages(folder: pathlib.Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in folder.iterdir()}


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("reference")
    run_tool("make_docs", "--reference", folder)
    return read_pages(folder)


@pytest.mark.parametrize("tool", ["make_docs", "make_r_verbs"])
def test_tracked_files_are_up_to_date(tool: str) -> None:
    assert "up to date" in run_tool(tool, "--check")


def test_reference_is_deterministic(reference: dict[str, str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "tf.gone.md").write_text("the page of a namespace that is no more")
    run_tool("make_docs", "--reference", tmp_path, seed="1")
    assert read_pages(tmp_path) == reference


def test_reference_has_every_public_name(reference: dict[str, str]) -> None:
    lines = (ROOT / "python/twinflow/_src/api/api_index.txt").read_text("utf-8")
    names = {name for line in lines.splitlines() for name in line.partition("|")[2].split()}
    entries = {
        name
        for page, text in reference.items()
        if page != "index.md"
        for heading, also in re.findall(
            r"^## tf\.(\S+)$|^In R: .*?(Also as .*)$", text, re.MULTILINE
        )
        for name in ([heading] if heading else re.findall(r"`tf\.([\w.]+)`", also))
    }
    assert len(names) > 800
    assert names - entries == set()


def test_reference_has_every_op(reference: dict[str, str]) -> None:
    from twinflow._src.api import describe

    types = {item["type"] for item in describe.table()}
    assert len(types) > 300
    assert types - set(re.findall(r"^\| `(\w+)` \|", reference["index.md"], re.MULTILINE)) == set()


def test_links_of_the_reference_lead_somewhere(
    reference: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(TOOLS)
    import deviation_links

    def anchors(path: str) -> set[str]:
        text = (
            reference[path] if path in reference else (folder / path).resolve().read_text("utf-8")
        )
        headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        return {deviation_links.anchor(heading) for heading in headings}

    folder = ROOT / "docs" / "reference"
    links = {
        (target or page, anchor)
        for page, text in reference.items()
        for target, anchor in LINK.findall(text)
    }
    targets = {target for target, _ in links}
    missing = {t for t in targets if t not in reference and not (folder / t).resolve().exists()}
    assert len(links) > 900
    assert missing == set()
    headings = {target: anchors(target) for target in targets}
    assert {link for link in links if link[1] and link[1] not in headings[link[0]]} == set()


def test_names_of_tensorflow_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TOOLS)
    import coverage_page

    assert coverage_page.exists("math.add")
    assert coverage_page.exists("train.Example")
    assert not coverage_page.exists("math.no_such_function")
    assert coverage_page.left("lite.Interpreter") == "export to TensorFlow Lite"
    assert coverage_page.left("compat.v1.lite.Interpreter") == "export to TensorFlow Lite"
    assert coverage_page.left("image.decode_jxl") == coverage_page.left("io.decode_jxl") != ""
    assert coverage_page.left("image.resize") == ""
    assert coverage_page.left("io.decode_raw") == ""


def test_links_lead_somewhere(reference: dict[str, str]) -> None:
    documents = [path for path in ROOT.glob("docs/**/*.md") if path.parent.name != "reference"]
    pages = [*ROOT.glob("*.md"), *documents, *ROOT.glob("vignettes/*.Rmd")]
    links = [
        ((page.parent / target).resolve(), page)
        for page in pages
        for target, _ in LINK.findall(page.read_text("utf-8"))
        if target
    ]
    computed = {ROOT / "docs" / "reference" / name for name in reference}
    assert links
    assert [link for link in links if link[0] not in computed and not link[0].exists()] == []


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs/architecture").glob("*.md")), ids=lambda p: p.stem
)
def test_pages_of_the_machine_name_what_is_there(page: pathlib.Path) -> None:
    code = [path.read_text("utf-8") for path in (ROOT / "python/twinflow").rglob("*.py")]
    words = set(re.findall(r"\w+", " ".join(code)))
    prose = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S)
    named = {
        name.rpartition(".")[2] for name in re.findall(r"`([A-Za-z_][\w.]*)(?:\([^`]*\))?`", prose)
    }
    assert named - words - {"md", "py", "txt"} == set()


def test_differences_of_a_function_are_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TOOLS)
    import deviation_links

    assert any(
        "tests/golden/deviations.md#" in link for link in deviation_links.links(["signal.fftnd"])
    )
    assert deviation_links.links(["no_such_function"]) == []
    assert deviation_links.anchor("`__array__` of a scalar") == "__array__-of-a-scalar"


def test_pages_of_the_site_exist(reference: dict[str, str]) -> None:
    pages = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    computed = {f"reference/{name}" for name in reference}
    assert len(pages) > 10
    assert [p for p in pages if p not in computed and not (ROOT / "docs" / p).exists()] == []
