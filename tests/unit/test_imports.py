"""The layers of the package, its circles of imports, and what importing twinflow brings in."""

import ast
import functools
import json
import sys
from pathlib import Path

import twinflow as tf
from tests.harness import in_new_python

PACKAGE = Path(tf.__file__).parent

# From the bottom to the top: a module imports, inside functions too, modules of its own layer and of those above it in this list.
LAYERS = [
    "version", "numerics", "core", "backends", "conversion", "shape_rules", "dispatch", "random", "trackable",
    "composite_tensors", "autodiff", "graph", "compiler", "control_flow", "variables", "function", "autograph", "ops",
    "initializers", "config", "io", "graph_serialization", "checkpoint", "train", "compat_v1", "wings", "r_bridge", "api",
]  # fmt: skip

# Imports of a higher layer, each inside a function or of a class that the lower layer has to recognize. None may be added.
EXCEPTIONS = """
api.describe -> twinflow
autodiff.activation_release -> variables.handle
autodiff.custom_gradient -> graph.ops
autodiff.custom_gradient -> variables.variable
autodiff.reverse -> graph.tf_exact.gradients
autodiff.reverse -> variables.variable
autodiff.tape -> graph.symbolic
autodiff.tape -> graph.tf_exact.gradient_functions
autodiff.tape -> variables.variable
autodiff.trace_cache -> compiler.program
autodiff.trace_cache -> graph.func_graph
autodiff.trace_cache -> graph.symbolic
autograph.control_flow -> ops.control.map_values
backends.cpu.elementwise -> dispatch.registry
compat_v1.context_managers -> wings.distribute.cluster_spec
compat_v1.names -> api.lazy_modules
compat_v1.names -> api.lazy_modules
compat_v1.optimizer_base -> wings.distribute.variables
compiler.place -> variables.variable
compiler.program -> variables.variable
composite_tensors.indexed_slices -> graph.static_values
composite_tensors.ragged_tensor -> wings.ragged.indexing
composite_tensors.ragged_tensor -> wings.ragged.values
composite_tensors.row_partition -> graph.static_values
composite_tensors.row_partition -> graph.symbolic
composite_tensors.sparse_tensor -> graph.static_values
composite_tensors.sparse_tensor -> graph.symbolic
composite_tensors.sparse_tensor -> ops.strings.print_format
composite_tensors.sparse_tensor -> wings.sparse.elementwise
control_flow.if_and_case_ops -> variables.variable
control_flow.py_function -> variables.variable
conversion.dlpack -> dispatch.op
core.context -> backends.cpu.malloc
core.context -> backends.cpu.module
core.context -> backends.gpu.device
core.nest -> dispatch.op
core.scopes -> dispatch.op
core.specs -> conversion.constant
dispatch.bfloat16 -> graph.signatures
dispatch.call_cache -> compiler.specialize
dispatch.inputs -> graph.signatures
function.function -> autograph.autograph
function.function -> autograph.source
graph.func_graph -> variables.variable
graph.gradients -> variables.variable
graph.graph -> graph_serialization.node_def_text
graph.graph -> variables.options
graph.opaque_calls -> control_flow.py_function
graph.signatures -> graph_serialization.attributes
graph.tf_exact.names -> variables.variable
graph.replay -> variables.variable
graph_serialization.graph_only_ops -> train.optimizers.formulas
graph_serialization.graph_only_ops -> train.optimizers.updates
graph_serialization.meta_graphs -> compat_v1.saver.saver
graph_serialization.meta_graphs -> compat_v1.saver.graph
ops.control.map_values -> wings.sparse.parts
ops.nn.ctc -> wings.sparse.parts
ops.state.checkpoints -> checkpoint.reader
ops.state.checkpoints -> checkpoint.values
ops.state.checkpoints -> checkpoint.writer
ops.state.checkpoints -> io.local_files
ops.strings.encoding -> graph_serialization.tensor_proto
r_bridge.session -> api.lazy_modules
trackable.module -> variables.variable
train.optimizers.step -> wings.distribute.variables
variables.keras_variable -> initializers.keras
variables.keras_variable -> ops.elementwise.cast
variables.keras_variable -> train.descriptions
variables.ref_variable -> ops.array.scatter_kernels
variables.store -> initializers.v1
"""

# These are written over the public namespace, as a program is.
ON_TOP = (
    "twinflow._src.r_bridge.",
    "twinflow._src.wings.numpy_ops.",
    "twinflow._src.api.alias",
    "twinflow._src.api.private_names",
)

# Modules that import each other in a circle, counting imports inside functions.
LARGEST_CIRCLE = 9


def name_of(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    )


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def statements(tree, inside=False):
    """The imports of a module, but for those of type checkers, each with whether it is inside a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            yield from ((f"{node.module}.{alias.name}", inside) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, inside) for alias in node.names)
        elif not isinstance(node, ast.expr):
            is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            yield from statements(node, inside or is_function)


@functools.cache
def parsed():
    """The docstring and the imports of each module; syntax trees would keep a million objects alive."""
    result = {}
    for module, path in MODULES.items():
        tree = ast.parse(path.read_text("utf-8"))
        result[module] = ast.get_docstring(tree), list(statements(tree))
    return result


def imported(module, functions):
    """The modules of the package that a module imports; with ``functions``, inside those as well."""
    for name, inside in parsed()[module][1]:
        if inside and not functions:
            continue
        for candidate in (name, name.rpartition(".")[0]):
            if candidate in MODULES:
                yield candidate
                break


@functools.cache
def imports_of_all(functions=True):
    return {module: set(imported(module, functions)) - {module} for module in MODULES}


def layer(module):
    parts = module.split(".")
    return LAYERS.index(parts[2]) if parts[1:2] == ["_src"] and len(parts) > 2 else len(LAYERS)


def test_layers():
    short = lambda module: module.removeprefix("twinflow._src.")
    imports = [
        (m, n)
        for m, others in imports_of_all().items()
        for n in others
        if not (n == "twinflow" and m.startswith(ON_TOP))
    ]
    upward = {f"{short(m)} -> {short(n)}" for m, n in imports if layer(n) > layer(m)}
    assert upward == set(EXCEPTIONS.strip().splitlines())


def circles(graph):
    """The strongly connected components of a graph (Tarjan, SIAM J. Comput. 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            found.append(stack[at:])
            del stack[at:]

    for node in graph:
        if node not in index:
            visit(node)
    return found


def test_no_circles_at_import():
    assert [c for c in circles(imports_of_all(functions=False)) if len(c) > 1] == []


def test_circles():
    assert max(map(len, circles(imports_of_all()))) <= LARGEST_CIRCLE


def test_brings_in_nothing_but_numpy_and_ml_dtypes():
    printed = in_new_python("""
        import json, sys
        print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))
    """)
    others = (
        set(json.loads(printed)) - set(sys.stdlib_module_names) - {"sitecustomize", "usercustomize"}
    )
    assert {name for name in others if not name.startswith("_")} == {
        "twinflow",
        "numpy",
        "ml_dtypes",
    }


def test_starts_no_device_at_import():
    assert (
        in_new_python("from twinflow._src.core.context import runtime; print(runtime.initialized)")
        == "False"
    )


def test_modules_have_docstrings():
    assert [module for module, (docstring, _) in parsed().items() if not docstring] == []
