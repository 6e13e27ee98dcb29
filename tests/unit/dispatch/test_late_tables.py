"""The modules that ``import twinflow`` loads, and the lookup of the rest at first use."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import twinflow as tf
from tests.harness import in_new_python
from twinflow._src.dispatch import lazy_tables

PACKAGE = Path(tf.__file__).parent
# Without the search for what the list of names does not tell.
ALONE = """
from twinflow._src.dispatch import lazy_tables as late_tables
from twinflow._src.dispatch.op import API, OPS
def import_all(): raise AssertionError("api_index.txt is stale: run make docs")
late_tables.import_all = import_all
"""


def test_import_brings_in_what_all_programs_need():
    printed = in_new_python("""
        import sys
        loaded = {n for n, module in list(sys.modules.items()) if n.startswith("twinflow.") and "__file__" in vars(module)}
        rare = {"strings", "special", "nn", "conv", "state", "random", "control"}
        print(len(loaded), {n.split(".")[3] for n in loaded if n.startswith("twinflow._src.ops.") and n.count(".") > 3} & rare)
    """)
    count, families = printed.split(" ", 1)
    assert int(count) < 220 and families == "set()", (
        "import what you need where you need it, or more modules are loaded by all"
    )


def test_each_name_is_defined_where_the_list_says():
    assert in_new_python(ALONE + """
for table in (OPS, API):
    for name in sorted(table.listed()):
        assert table[name] is not None
print("found")
""") == "found"  # fmt: skip


def _public_names(definition):
    """The names that the decorators of a function or a class give it."""
    for mark in definition.decorator_list:
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name):
            given = (
                mark.args
                if mark.func.id == "export"
                else [k.value for k in mark.keywords if k.arg == "api"]
            )
            for value in given:
                yield from (
                    node.value for node in ast.walk(value) if isinstance(node, ast.Constant)
                )


def test_each_name_is_defined_once():
    """Each public name is defined once, so that the order of imports does not matter."""
    trees = (ast.walk(ast.parse(path.read_text("utf-8"))) for path in PACKAGE.rglob("*.py"))
    definitions = (
        node for tree in trees for node in tree if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    )
    found = Counter(name for definition in definitions for name in _public_names(definition))
    assert found["math.add"] == found["function"] == 1
    assert [name for name, times in found.items() if times > 1] == []


def test_a_name_that_is_not_listed_is_found():
    assert in_new_python("""
        import twinflow as tf
        from twinflow._src.dispatch import lazy_tables as late_tables
        late_tables.NAMES.pop("nn.elu")  # as if it had been written a moment ago
        late_tables.NAMES["math.cumsum"] = "ops.array.no_longer_there"
        print(float(tf.nn.elu(2.0)), tf.math.cumsum([1, 2]).numpy(), hasattr(tf, "no_such_function"))
    """) == "2.0 [1 3] False"  # fmt: skip


def test_threads_get_the_same():
    assert in_new_python("""
        import threading
        import twinflow as tf
        start, found = threading.Barrier(8), []
        def ask():
            start.wait()
            found.append((tf.signal.rfft, tf.strings.split, tf.function, float(tf.nn.elu(2.0))))
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(len(found), len(set(found)))
    """) == "8 1"  # fmt: skip


def test_tables_are_whole_where_they_are_walked():
    assert in_new_python("""
        from twinflow._src.dispatch.op import API, OPS
        print("Svd" in OPS, OPS.get("NoSuchOp"), len(OPS) == len({*OPS}) == len(dict(OPS)) == len(OPS.listed()))
        print(len(API) == len({**API}) == len(API.listed()), "no.such" in API)
    """).split() == ["True", "None", "True", "True", "False"]  # fmt: skip


@pytest.mark.parametrize("module", sorted({*lazy_tables.TYPES.values()}))
def test_gradients_stand_beside_their_operations(module):
    """An operation is imported without what others know of it."""
    tree = ast.parse((PACKAGE / "_src" / f"{module.replace('.', '/')}.py").read_text("utf-8"))
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    told = {
        name.value.id
        for node in tree.body if isinstance(node, ast.FunctionDef)
        for name in node.decorator_list
        if isinstance(name, ast.Attribute) and name.attr == "gradient" and isinstance(name.value, ast.Name)
    }  # fmt: skip
    assert told <= own
