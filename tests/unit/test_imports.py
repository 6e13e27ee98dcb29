"""The order of the modules, and what importing twinflow brings in."""

import ast
import json
import sys
import warnings
from pathlib import Path

import pytest

import twinflow as tf
from tests.harness import in_new_python

PACKAGE = Path(tf.__file__).parent

# A module imports from those before it. The operations and what stands on them come last.
ORDER = """
version errors dtypes shapes devices backends.cpu backends.gpu backends context convert tensor constant
opdefs schema execute op interop scopes config indexed_slices handle variable_options updates variable
libmf ops __init__ describe border border_to_r border_extract border_math border_verbs
""".split()

MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def rank(module):
    """Where a module stands in the order; what lies in ``ops`` stands there."""
    return ORDER.index("ops" if module.startswith("ops") else module)


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


@pytest.mark.parametrize("module", MODULES)
def test_order(module):
    own = module.removesuffix(".__init__") if module != "__init__" else module
    if own.startswith("ops"):
        assert all(rank(m) <= rank("ops") for m in imported(MODULES[module], module))
    else:
        late = [m for m in imported(MODULES[module], module) if rank(m) >= rank(own)]
        assert not late, f"{own} imports {late}, which come after it"


def test_order_is_complete():
    outside = {m.removesuffix(".__init__") if m != "__init__" else m for m in MODULES if not m.startswith("ops")}
    assert outside == set(ORDER) - {"ops"}


def test_families_of_ops_do_not_import_each_other_in_circles():
    families = {m: set(imported(p, m)) for m, p in MODULES.items() if m.startswith("ops.") and not m.endswith("__init__")}
    done = set()
    while families:
        free = {m for m, needed in families.items() if not {n for n in needed if n in families and n != m}}
        assert free, f"a circle among {sorted(families)}"
        done |= free
        families = {m: needed for m, needed in families.items() if m not in free}


def test_brings_in_nothing_but_numpy_and_ml_dtypes():
    printed = in_new_python("""
        import json, sys
        print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))
    """)
    from_elsewhere = set(json.loads(printed)) - set(sys.stdlib_module_names) - {"__main__"}
    # What the interpreter itself loads at its start, before the first line of a program.
    at_start = {name for name in from_elsewhere if name.startswith(("_", "sitecustomize", "distutils"))}
    assert from_elsewhere - at_start == {"twinflow", "numpy", "ml_dtypes"}


def test_starts_no_device_at_import():
    assert in_new_python("from twinflow.context import runtime; print(runtime.initialized)") == "False"


@pytest.mark.parametrize("module", MODULES)
def test_is_of_a_readable_length(module):
    lines = len(MODULES[module].read_text("utf-8").splitlines())
    assert lines <= 350, f"{module} has {lines} lines: split it"
    if lines > 300:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.warn(f"{module} has {lines} lines", stacklevel=1)


@pytest.mark.parametrize("module", MODULES)
def test_says_what_it_is(module):
    assert ast.get_docstring(ast.parse(MODULES[module].read_text("utf-8"))) or module == "version"
