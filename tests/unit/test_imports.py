"""The order of the modules, and what importing twinflow brings in."""

import ast
import json
import sys
from pathlib import Path

import pytest

import twinflow as tf
from tests.harness import in_new_python

PACKAGE = Path(tf.__file__).parent

# A module that is named here imports none of those after it; one that is not has only to avoid circles.
ORDER = [
    "version", "errors", "dtypes", "shapes", "devices", "room", "backends.cpu", "backends.gpu",
    "backends", "context", "convert", "tensor", "constant", "opdefs", "late_tables", "schema", "direct", "inputs", "execute", "repeats", "op",
    "interop", "scopes", "settings.devices", "composites.indexed_slices", "variables.handle", "variables.options",
    "variables.updates", "variable", "gradient", "ops", "__init__", "describe", "border", "border.calls", "border.from_r",
    "border.to_r", "border.math", "border.extract", "border.loops", "border.verbs",
    "border.vectors", "border.rpy2",
]

MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def imported(path, module):
    """The modules of the package that a module imports when it is itself imported."""
    package = module.split(".")[:-1]
    for node in top_level(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ("__init__" for alias in node.names if alias.name.partition(".")[0] == "twinflow")
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = package[: len(package) - node.level + 1]
                stem = [*base, *(node.module or "").split(".")] if node.module else base
            elif (node.module or "").partition(".")[0] == "twinflow":
                stem = node.module.split(".")[1:]
            else:
                continue
            for alias in node.names:
                yield from known([*stem, alias.name], stem)


def known(*candidates):
    for parts in candidates:
        name = ".".join(p for p in parts if p)
        for module in (name, f"{name}.__init__" if name else "__init__"):
            if module in MODULES:
                yield module.removesuffix(".__init__") if module != "__init__" else module
                return


def top_level(tree):
    """Statements that run at import: not those in functions, nor those for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from top_level(node)


def own(module):
    """The name under which others import a module; all operations are one."""
    if module.startswith("ops"):
        return "ops"
    return module if module == "__init__" else module.removesuffix(".__init__")


def needed(module):
    return {own(m) for m in imported(MODULES[module], module)} - {own(module)}


@pytest.mark.parametrize("module", [m for m in MODULES if own(m) in ORDER])
def test_order(module):
    place = ORDER.index(own(module))
    late = [m for m in needed(module) if m in ORDER and ORDER.index(m) > place]
    assert not late, f"{module} imports {late}, which come after it"


def assert_no_circle(graph):
    """Takes away modules that need none of the others, until nothing is left."""
    while graph:
        free = {m for m, others in graph.items() if not (others & graph.keys()) - {m}}
        assert free, f"a circle among {sorted(graph)}"
        graph = {m: others for m, others in graph.items() if m not in free}


def test_no_circles():
    graph = {}
    for module in MODULES:
        graph.setdefault(own(module), set()).update(needed(module))
    assert_no_circle(graph)


def test_no_circles_among_the_operations():
    families = [m for m in MODULES if m.startswith("ops.") and m != "ops.__init__"]
    assert_no_circle({m: set(imported(MODULES[m], m)) for m in families})


def test_brings_in_nothing_but_numpy_and_ml_dtypes():
    printed = in_new_python("""
        import json, sys
        print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))
    """)
    others = set(json.loads(printed)) - set(sys.stdlib_module_names) - {"sitecustomize", "usercustomize"}
    assert {name for name in others if not name.startswith("_")} == {"twinflow", "numpy", "ml_dtypes"}


def test_starts_no_device_at_import():
    assert in_new_python("from twinflow._src.core.context import runtime; print(runtime.initialized)") == "False"


@pytest.mark.parametrize("module", MODULES)
def test_says_what_it_is(module):
    assert ast.get_docstring(ast.parse(MODULES[module].read_text("utf-8"))) or module == "version"
