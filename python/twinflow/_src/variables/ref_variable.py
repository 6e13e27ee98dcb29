"""Reference variables of TensorFlow 1 graphs, whose tensors alias the variable's memory."""

from __future__ import annotations

import functools
from typing import Any

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import DType, bool_
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape, text
from twinflow._src.dispatch.op import API, OPS
from twinflow._src.dispatch.registry import Kind, Op
from twinflow._src.graph.graph import Graph, inferred_shape
from twinflow._src.ops.array.scatter_kernels import assert_updates_fit
from twinflow._src.variables.graph_variable import GraphVariable, first_value

_RESOURCE = Kind("resource")


def _lend_array(xp: Any, resource: Any, **_: Any) -> Any:
    return resource._handle.lend()


def _reference(node: Any) -> Any:
    variable = node.arguments[0]
    return [variable.dtype], [variable.shape._dims], True


def _value(node: Any) -> Any:
    variable = node.arguments[0]
    return [variable.dtype.base_dtype], [variable.shape._dims], True


def _source(type: str, infer: Any) -> Op:
    op = Op(type, _lend_array, impure=True, infer=infer)
    op.kinds = (_RESOURCE,)
    return op


VARIABLE = _source("VariableV2", _reference)
READ = _source("Identity", _value)
VARIABLE.gradient = READ.gradient = lambda call, dy: dy
READ.slices = True
VARIABLE.reads_variable = READ.reads_variable = "reference"

# Ops on references, and the ops on resources with the same effect.
REFERENCE_TYPES = {
    "Assign": "AssignVariableOp",
    "AssignAdd": "AssignAddVariableOp",
    "AssignSub": "AssignSubVariableOp",
    **{
        f"Scatter{kind}": f"ResourceScatter{kind}"
        for kind in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update")
    },
    **{
        f"ScatterNd{kind}": f"ResourceScatterNd{kind}"
        for kind in ("Add", "Sub", "Min", "Max", "Update")
    },
    "StridedSliceAssign": "ResourceStridedSliceAssign",
}


@functools.cache
def reference_op(type: str) -> Op:
    """Returns the op on references of a type; its result aliases the memory after the update."""
    same = OPS[REFERENCE_TYPES[type]]

    def kernel(
        xp: Any, resource: Any, *values: Any, validate_shape: bool = True, **attrs: Any
    ) -> Any:
        handle = resource._handle
        if type != "Assign" or (validate_shape and handle.has_value()):
            _assert_fit(type, handle.lend().shape, *values)  # raises if uninitialized
        same.kernel(xp, resource, *values, **attrs)
        return handle.lend()

    def infer(node: Any) -> Any:
        if type != "Assign":  # Assign checks the shape itself, unless validate_shape is False
            inferred_shape(node, same)
        return _reference(node)

    op = Op(type, kernel, impure=True, dtypes=same.dtypes, infer=infer, no_gradient=True)
    op.kinds, op.tensors, op.params, op.lists = same.kinds, same.tensors, same.params, same.lists
    op.attrs = tuple(
        p._replace(default=True) if p.name == "validate_shape" else p for p in same.attrs
    )
    return op


def _assert_fit(type: str, shape: Any, value: Any, *rest: Any) -> None:
    """Raises InvalidArgumentError where the inputs of an update do not match a variable's shape."""
    if type == "Assign" and value.shape != shape:
        raise invalid(
            "Assign requires shapes of both tensors to match. "
            f"lhs shape= {text(shape)} rhs shape= {text(value.shape)}"
        )
    if type in ("AssignAdd", "AssignSub") and value.shape != shape:
        raise invalid("Parameters and update must be the same size")
    if type.startswith("Scatter") and not type.startswith("ScatterNd"):
        assert_updates_fit(shape, value, *rest)


def _has_value(xp: Any, resource: Any) -> Any:
    return xp.asarray(resource._handle.has_value())


IS_INITIALIZED = _source("IsVariableInitialized", lambda node: ([bool_], [()], True))
IS_INITIALIZED.kernel, IS_INITIALIZED.no_gradient = _has_value, True


class RefVariable(GraphVariable):
    """A reference variable of a graph, whose tensors alias its memory; see ``GraphVariable``."""

    _none_text, _both_text = (
        "initial_value must be specified.",
        "variable_def and initial_value are mutually exclusive.",
    )
    _constraint_text = "The `constraint` argument must be a callable."
    _inside_text = (
        "Initializer for variable {} is from inside a control-flow construct, such as a loop or conditional. When creating "
        "a variable inside a loop or conditional, use a lambda as the initializer."
    )
    _by_name = False
    is_reference = True

    def _build(
        self, path: str, value: Any, dtype: DType | None, validate: bool, shape: Any
    ) -> None:
        graph: Graph = thread.scope.graph
        together = {"_class": [f"loc:@{path[:-1]}".encode()]}
        marks = together if callable(value) else {}
        if callable(value):
            with graph.name_scope("Initializer"), graph.marked(**marks):
                initial = self._from_outside(path, first_value(value, dtype))
        else:
            initial = self._from_outside(path, first_value(value, dtype))
        is_static = validate and initial.shape.is_fully_defined()
        if validate and not is_static and shape is None:
            raise ValueError(f"initial_value must have a shape specified: {initial}")
        static = (
            TensorShape(shape)
            if shape is not None
            else initial.shape
            if validate
            else TensorShape(None)
        )
        self._create(path, initial, static)
        with graph.marked(**marks):
            self._variable = graph.add(VARIABLE, (self,), {}, path[:-1])
        self._stands(self._variable)
        self._graph_element = self._variable
        if validate:
            self._assert_fits("Assign", initial, True)
        with graph.marked(**together):
            assigned = graph.add(
                reference_op("Assign"),
                (self, initial),
                {"validate_shape": validate},
                graph.unique_name("Assign"),
            )
            self._initializer = assigned.op
            self._snapshot = graph.add(READ, (self,), {}, graph.unique_name("read"))

    @property
    def dtype(self) -> DType:
        """The reference dtype of the value."""
        return self._handle.value_dtype._as_ref

    def _ref(self) -> Any:
        return self._variable

    def _read(self) -> Any:
        return self._snapshot

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Any:
        return convert_to_tensor(self._snapshot, dtype, name=name)

    def read_value(self) -> Any:
        """Returns the tensor of the value, from a new read op."""
        graph = thread.scope.graph
        return graph.add(READ, (self,), {}, graph.unique_name("read"))

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """Returns the tensor of the rows at ``indices``."""
        return API["gather"](self._snapshot, indices, name=name)

    def gather_nd(self, indices: Any, name: str | None = None) -> Any:
        """Returns the tensor of the elements or slices at ``indices``."""
        return API["gather_nd"](self._snapshot, indices, name=name)

    def is_initialized(self, name: str | None = None) -> Any:
        """Returns a boolean tensor: True if the variable is initialized."""
        graph = thread.scope.graph
        label = graph.unique_name(name or "IsVariableInitialized")
        with graph.marked(_class=[f"loc:@{self._variable.op.name}".encode()]):
            return graph.add(IS_INITIALIZED, (self,), {}, label)

    def _operand(self, value: Any) -> Any:
        return convert_to_tensor(value, dtype=self.dtype.base_dtype, name="value")

    def _changed(self, type: str, name: str | None, *values: Any, **attrs: Any) -> Any:
        """Adds an update op; its inputs are created within its name scope."""
        graph = thread.scope.graph
        with graph.name_scope(name or type) as path:
            tensors = [graph.own(value() if callable(value) else value) for value in values]
        with graph.marked(_class=[f"loc:@{self._variable.op.name}".encode()]):
            return graph.add(reference_op(type), (self, *tensors), attrs, path[:-1])

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds an operation that replaces the value; see ``GraphVariable.assign``."""
        return _result(self._replaced(value, name, use_locking), read_value)

    def _replaced(self, value: Any, name: str | None, locking: bool, validate: bool = True) -> Any:
        """Adds an assignment and returns its reference; ``validate`` checks the static shape."""

        def checked() -> Any:
            tensor = self._operand(value)
            if validate:
                self._assert_fits("Assign", tensor, locking)
            return tensor

        update = self._changed("Assign", name, checked, validate_shape=validate)
        update.op.marks["use_locking"] = locking
        if not validate:
            update._dims = update.op.inputs[1]._dims
        return update

    def _assert_fits(self, type: str, tensor: Any, locking: bool) -> None:
        if not self._shape.is_compatible_with(tensor.shape):
            path = thread.scope.name.removesuffix("/")
            dims, other = text(self._shape._dims), text(tensor.shape._dims)
            raise ValueError(
                f"{_mismatch(self._shape, tensor.shape)} Shapes are {dims} and {other}. for '{{{{node {path}}}}} = "
                f"{type}[T=DT_{self._handle.value_dtype.cname.upper()}, use_locking={str(locking).lower()}, validate_shape=true]"
                f"({self._op.name}, {tensor.op.name})' with input shapes: {dims}, {other}."
            )

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds an operation that adds to the value; see ``assign``."""
        return _result(self._changed("AssignAdd", name, lambda: self._operand(delta)), read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds an operation that subtracts from the value; see ``assign``."""
        return _result(self._changed("AssignSub", name, lambda: self._operand(delta)), read_value)

    def _scatter(self, type: str, sparse_delta: Any, name: str | None = None) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        return self._scattered(type, sparse_delta.indices, sparse_delta.values, name)

    def _scattered(self, type: str, indices: Any, updates: Any, name: str | None) -> Any:
        dtype = self.dtype.base_dtype
        return self._changed(
            type.removeprefix("Resource"),
            name,
            lambda: convert_to_tensor(indices, name="indices"),
            lambda: convert_to_tensor(updates, dtype, name="updates"),
        )

    def _scatter_nd(self, type: str, indices: Any, updates: Any, name: str | None = None) -> Any:
        return self._scattered(type, indices, updates, name)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Any:
        return iter(self._snapshot)


def _result(tensor: Any, read_value: bool) -> Any:
    return tensor if read_value else tensor.op


def _mismatch(shape: TensorShape, other: TensorShape) -> str:
    a, b = shape.as_list(), other.as_list()
    if len(a) != len(b):
        return f"Shapes must be equal rank, but are {len(a)} and {len(b)}"
    axis = next(i for i, (m, n) in enumerate(zip(a, b)) if m != n)
    return f"Dimension {axis} in both shapes must be equal, but are {a[axis]} and {b[axis]}."
