"""Operations on datasets: run at once in eager execution, added to the current graph otherwise.

A dataset is a scalar of dtype variant that holds a stage. An operation has the name that it has in
TensorFlow; its kernel is a closure over the traced functions, whose captures are further inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered, quiet, runtime, thread
from twinflow._src.core.dtypes import int64, variant
from twinflow._src.core.errors import invalid
from twinflow._src.core.specs import TensorSpec
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.graph.ops import holding
from twinflow._src.numerics.object_arrays import box
from twinflow._src.wings.data.functions import StructuredFunction
from twinflow._src.wings.data.structure import Elements, flatten, pack_like

F = TypeVar("F", bound=Callable[..., Any])
_DATASET: tuple[list[Any], list[Any], bool] = [variant], [()], True
BUILDERS: dict[str, Callable[..., Any]] = {}
RECIPE = "_recipe"  # the key of recipes in the attributes of operations


def builds(kind: str) -> Callable[[F], F]:
    """Decorates the function that builds the stage of a kind of datasets; see ``build_variant``."""

    def register(function: F) -> F:
        BUILDERS[kind] = function
        return function

    return register


class Recipe(NamedTuple):
    """The origin of an operation that makes a dataset, which another process can repeat.

    Attributes:
        kind: The key of the builder.
        params: Its first arguments: plain values, specs, ``Elements`` and enums.
        type: The type of the operation.
        datasets: The number of input datasets.
        tensors: The number of tensors.
        functions: The functions.
        impure: True if the operation has side effects or state.
    """

    kind: str
    params: tuple[Any, ...]
    type: str
    datasets: int
    tensors: int
    functions: tuple[StructuredFunction, ...]
    impure: bool


def run_op(
    type: str,
    kernel: Callable[..., Any],
    inputs: Sequence[Any],
    functions: Sequence[StructuredFunction] = (),
    results: tuple[list[Any], list[Any], bool] = _DATASET,
    impure: bool = False,
    name: str | None = None,
    attrs: dict[str, Any] | None = None,
    recipe: Recipe | None = None,
) -> Any:
    """Runs an operation, or adds it to the current graph; returns its results as tensors.

    Args:
        type: TensorFlow's name of the operation.
        kernel: Called with the arrays of the inputs, and with the functions, bound to their
            captures; returns an array for each result.
        inputs: Tensors.
        functions: Functions that were traced in the current graph.
        results: The dtypes and dimensions of the results, and True for a single one.
        impure: True if the operation has side effects or state.
        name: A name.
        attrs: Its attributes in files.
        recipe: The origin of a dataset that can be sent to other processes.
    """
    captures = [tensor for function in functions for tensor in function.tensors]
    variables = [variable for function in functions for variable in function.variables]
    count, tensors = len(inputs), [*inputs, *captures]
    ends = np.cumsum([count, *(len(f.tensors) for f in functions)]).tolist()
    firsts = np.cumsum([len(tensors), *(len(f.variables) for f in functions)]).tolist()

    def compute(*values: Any) -> Any:
        bound = [
            f.bind([*values[a:b], *values[c:d]], type)
            for f, a, b, c, d in zip(functions, ends, ends[1:], firsts, firsts[1:])
        ]
        return kernel(*values[:count], *bound)

    graph = thread.scope.graph
    if graph is None:
        arrays = [x._host() for x in tensors]
        computed = quiet().run(compute, *arrays, *variables)
        if results[2]:
            return EagerTensor(computed, runtime.host, results[0][0])
        return [EagerTensor(a, runtime.host, dtype) for a, dtype in zip(computed, results[0])]

    def in_graph(xp: Any, *values: Any) -> Any:
        with entered(PLAIN):
            return compute(*values)

    op = holding(type, in_graph, len(tensors), len(variables), impure)
    op.infer, op.devices, op.no_gradient = (lambda node: results), ("CPU",), True
    op.fixed_attrs = {RECIPE: recipe} if recipe else attrs or {}
    arguments = (*map(graph.own, tensors), *variables)
    return graph.add(op, arguments, {}, graph.unique_name(name or type))


def dataset_variant(
    type: str,
    stage: Callable[..., Any],
    datasets: Sequence[Any] = (),
    tensors: Sequence[Any] = (),
    functions: Sequence[StructuredFunction] = (),
    impure: bool = False,
    recipe: Recipe | None = None,
) -> Any:
    """Returns the variant of a new dataset, which cannot be sent unless there is a recipe.

    ``stage`` is called with the stages of the input datasets, with the arrays of the tensors, and with
    the functions, bound to their captures; it returns the stage of the new dataset.
    """
    count = len(datasets)

    def kernel(*values: Any) -> Any:
        inputs = [value[()] for value in values[:count]]
        result = stage(*inputs, *values[count:])
        result.origin, result.recipe = (type, (*inputs, *values[count:])), recipe
        return box(result)

    inputs = [*(dataset._variant_tensor for dataset in datasets), *tensors]
    return run_op(type, kernel, inputs, functions, _DATASET, impure, recipe=recipe)


def build_variant(
    type: str,
    params: tuple[Any, ...] = (),
    datasets: Sequence[Any] = (),
    tensors: Sequence[Any] = (),
    functions: Sequence[StructuredFunction] = (),
    impure: bool = False,
    kind: str = "",
) -> Any:
    """Returns the variant of a new dataset, whose stage a registered function builds.

    The builder of the kind, by default that of the type, is called with the parameters, then as
    ``dataset_variant`` calls its stage.
    """
    kind = kind or type
    counts = len(datasets), len(tensors)
    recipe = Recipe(kind, params, type, *counts, tuple(functions), impure)
    stage = partial(BUILDERS[kind], *params)
    return dataset_variant(type, stage, datasets, tensors, functions, impure, recipe)


def scalar(value: Any, name: str, dtype: Any = int64) -> Any:
    """Returns an argument as a scalar tensor of a dtype; raises an error for another rank."""
    tensor = convert_to_tensor(value, dtype=dtype, name=name)
    if not tensor.shape.rank:
        return tensor
    if thread.scope.graph is None:
        raise invalid(f"{name} must be a scalar")
    raise ValueError(f"Shape must be rank 0 but is rank {tensor.shape.rank} for `{name}`.")


def element_results(elements: Elements) -> tuple[list[Any], list[Any], bool]:
    """Returns the dtypes and dimensions of the component tensors of an element."""
    specs = elements.tensor_specs()
    return [s.dtype for s in specs], [s.shape._dims for s in specs], False


def element_attrs(elements: Elements) -> dict[str, Any]:
    """Returns the attributes in files of an operation that has an element, or an optional of one."""
    specs = elements.tensor_specs()
    return {"output_types": [s.dtype for s in specs], "output_shapes": [s.shape for s in specs]}


def packed(elements: Elements, tensors: Sequence[Any]) -> Any:
    """Returns the value of an element whose component tensors are results of an operation."""
    left = iter(tensors)
    leaves = []
    for leaf in elements.leaves:
        parts = [next(left) for _ in range(leaf.parts)]
        is_tensor = isinstance(leaf.spec, TensorSpec)
        leaves.append(parts[0] if is_tensor else leaf.spec._from_components(parts))
    return pack_like(elements.spec, leaves)


def component_tensors(elements: Elements, value: Any) -> list[Any]:
    """Returns the component tensors of a value in the structure of an element."""
    tensors: list[Any] = []
    for leaf, part in zip(elements.leaves, flatten(value)):
        is_tensor = isinstance(leaf.spec, TensorSpec)
        tensors += [part] if is_tensor else nest.flatten(leaf.spec._to_components(part), True)
    return tensors
