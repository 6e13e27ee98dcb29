"""Symbolic tensors and operations of graphs."""

from __future__ import annotations

from traceback import StackSummary
from typing import TYPE_CHECKING, Any, NoReturn

from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import OperatorNotAllowedInGraphError
from twinflow._src.core.shapes import Dims, TensorShape, text
from twinflow._src.core.tensor import _NUMPY_ATTRIBUTES, Tensor
from twinflow._src.dispatch.registry import Call, Op
from twinflow._src.graph.call_stack import CallStack, summary

if TYPE_CHECKING:
    from twinflow._src.graph.graph import Graph
import importlib


class Serializer:
    """A module that is imported when a name of it is first used."""

    module = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.module), name)


serializer = Serializer()


_RESOLUTIONS = (
    "You can attempt the following resolutions to the problem: If you are running in Graph mode, use "
    "Eager execution mode or decorate this function with @tf.function. If you are using AutoGraph, you "
    "can try decorating this function with @tf.function. If that does not work, then you may be using "
    "an unsupported feature or your source code may not be visible to AutoGraph. See "
    "https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/reference/"
    "limitations.md#access-to-source-code for more information."
)


class Operation:
    """An operation of a graph.

    Attributes:
        graph: The graph.
        name: The name, unique in the graph.
        definition: The op.
        arguments: One value for each tensor parameter, as in a ``Call``.
        attrs: The values of its attributes.
        device: The requested device, ``""`` where there is none.
        control_inputs: The control inputs.
        waits: The control dependencies of its scope; ``control_inputs`` omits the redundant ones.
        outputs: The list of its results.
        results: Its results in the form that the op returns: a tensor, a list, or None.
        index: The number of operations that were created before it.
        marks: Additional ``NodeDef`` attributes, such as ``_class``; kernels do not see them.
        variable: The variable whose handle it produces, or None.
        implied: The tensor of its implied axes, or None.
        shown: Whether it is only displayed and need not run: only ``implied`` refers to its
            results.
        scope: The name scope in which it was created.
        call_stack: The user's frames that created it.
    """

    __module__ = "twinflow"
    _original_op = None  # tests read it to describe errors; no operation stands for another

    def __init__(
        self,
        graph: Graph,
        definition: Op,
        name: str,
        arguments: tuple[Any, ...],
        attrs: dict[str, Any],
        device: str = "",
        control_inputs: tuple[Operation, ...] = (),
    ) -> None:
        self.graph, self.definition, self.name = graph, definition, name
        self.arguments, self.attrs, self.device = arguments, attrs, device
        self.control_inputs = list(control_inputs)
        self.waits: tuple[Operation, ...] = ()
        self.index = graph.version  # operations are created after their inputs
        self.outputs: list[SymbolicTensor] = []
        self.results: Any = None
        self.marks: dict[str, Any] = {}
        self.variable: Any = None
        self.implied: SymbolicTensor | None = None
        self.shown = False
        self.scope = ""
        self.call_stack: CallStack = ()

    @property
    def traceback(self) -> StackSummary:
        """The call stack that created the operation, without the frames of this package."""
        return summary(self.call_stack)

    @property
    def type(self) -> str:
        """The type of the op."""
        return self.definition.type

    @property
    def tensors(self) -> tuple[SymbolicTensor, ...]:
        """The input tensors."""
        return tuple(x for x in leaves(self.arguments) if isinstance(x, SymbolicTensor))

    @property
    def inputs(self) -> tuple[SymbolicTensor, ...]:
        """The input tensors, including the handles of variables."""
        taken = (
            x if isinstance(x, SymbolicTensor) else self._memory(x) for x in leaves(self.arguments)
        )
        return tuple(x for x in (*taken, self.implied) if x is not None)

    def _memory(self, variable: Any) -> SymbolicTensor | None:
        """Returns the handle tensor of a variable, unless this operation produces it."""
        tensor = getattr(getattr(variable, "_handle", None), "tensor", None)
        is_local = (
            isinstance(tensor, SymbolicTensor)
            and tensor.graph is self.graph
            and tensor.op is not self
        )
        return tensor if is_local else None

    def use(self) -> None:
        """Marks the operation as used, so that it has to run."""
        if self.shown:
            self.shown = False
            for tensor in self.tensors:
                tensor.op.use()

    def values(self) -> tuple[SymbolicTensor, ...]:
        """Returns the results."""
        return tuple(self.outputs)

    def call(self) -> Call:
        """Returns the call that tapes record for this operation."""
        return Call(self.definition, self.arguments, self.attrs, self.results)

    def give(self, dtypes: list[DType], shapes: list[Dims | None], single: bool) -> Any:
        """Creates the results; returns them in the form that the op returns."""
        self.outputs = [
            SymbolicTensor(self, i, dtype, dims)
            for i, (dtype, dims) in enumerate(zip(dtypes, shapes, strict=True))
        ]
        self.results = self.outputs[0] if single else list(self.outputs) or None
        return self.results

    @property
    def op(self) -> Operation:
        """The operation itself."""
        return self

    def get_attr(self, name: str) -> Any:
        """Returns the value of an attribute.

        Args:
            name: Its name; type attributes have their names in the op definition.

        Raises:
            ValueError: There is no such attribute.
        """
        message = serializer.attribute_of(self, name)
        if message is not None:
            return message
        raise ValueError(f"Operation {self.name!r} has no attr named {name!r}.")

    @property
    def node_def(self) -> Any:
        """The ``NodeDef`` of the operation."""
        return serializer.node_def(self)

    def colocation_groups(self) -> list[bytes]:
        """Returns the colocation groups, such as ``b"loc:@v"``; by default the operation's own."""
        names = [x if isinstance(x, bytes) else x.encode() for x in self.marks.get("_class", ())]
        return [x for x in names if x.startswith(b"loc:@")] or [b"loc:@" + self.name.encode()]

    @property
    def op_def(self) -> Any:
        """The ``OpDef`` of its type."""
        from twinflow._src.graph.signatures import op_def

        return op_def(serializer.written(self).type)

    @property
    def control_outputs(self) -> list[Operation]:
        """The operations that have this one as a control input."""
        return [node for node in self.graph.get_operations() if self in node.control_inputs]

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs the operation in a session.

        Args:
            feed_dict: The values of fed tensors.
            session: The session; the default session where None.

        Raises:
            ValueError: There is no session, or it belongs to another graph.
        """
        session_of(
            self.graph, session, "execute operation", "the operation", "`run()`", "run("
        ).run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self) -> str:
        try:
            return str(self.node_def)
        except (ImportError, NotImplementedError):  # not serializable
            return repr(self)


def evaluated(value: Any, feed_dict: Any, session: Any) -> Any:
    """Returns the value of a tensor in a session; see ``SymbolicTensor.eval``."""
    said = "evaluate tensor", "the tensor", "`eval()`", "eval("
    return session_of(value.graph, session, *said).run(value, feed_dict)


def session_of(graph: Any, session: Any, doing: str, what: str, call: str, start: str) -> Any:
    """Returns the session, or the default one; ValueError where it belongs to another graph."""
    result = session or (thread.sessions[-1] if thread.sessions else None)
    if result is None:
        raise ValueError(
            f"Cannot {doing} using {call}: No default session is registered. Use `with sess.as_default()"
            f"{':' if start == 'run(' else ''}` "
            f"or pass an explicit session to `{start}session=sess)`"
        )
    if result.graph is not graph:
        described = "the default" if session is None else "the given"
        raise ValueError(
            f"Cannot use {described} session to {doing}: {what}'s graph is different from the session's "
            "graph."
            + (
                " Pass an explicit session to `" + start + "session=sess)`."
                if session is None
                else ""
            )
        )
    return result


def leaves(arguments: tuple[Any, ...]) -> list[Any]:
    """Returns the arguments of an operation, with lists flattened."""
    return [
        leaf
        for argument in arguments
        for leaf in (argument if isinstance(argument, tuple) else (argument,))
    ]


def _disagreement(dims: Dims, other: Dims) -> str:
    """Returns the message for incompatible shapes."""
    if len(dims) != len(other):
        return f"Shapes must be equal rank, but are {len(dims)} and {len(other)}"
    axis = next(i for i, (a, b) in enumerate(zip(dims, other)) if a != b and None not in (a, b))
    return (
        f"Dimension {axis} in both shapes must be equal, but are {dims[axis]} and {other[axis]}. "
        f"Shapes are {text(dims)} and {text(other)}."
    )


class SymbolicTensor(Tensor):
    """A result of an operation of a graph.

    Attributes:
        op: The operation.
        value_index: The index of the result.
        dtype: The dtype.
    """

    def __init__(self, op: Operation, value_index: int, dtype: DType, dims: Dims | None) -> None:
        self.op, self.value_index, self.dtype = op, value_index, dtype
        self._dims = dims
        self.beside: SymbolicTensor | None = (
            None  # an earlier result, for one that a gradient added
        )
        self._value: Any = None  # the cached static value

    def exchange(self, other: SymbolicTensor) -> None:
        """Makes this tensor the output of the operation of another one, and the other way round.

        Args:
            other: A tensor of the same graph; no operation has it or this tensor as an input.
        """
        one, two = (self.op, self.value_index), (other.op, other.value_index)
        for tensor, (op, index) in ((self, two), (other, one)):
            tensor.op, tensor.value_index, tensor._value = op, index, None
            op.outputs[index] = tensor
            op.results = op.outputs if isinstance(op.results, list) else tensor

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self.op.graph

    @property
    def name(self) -> str:
        """The name of the operation and the index of the result: ``"add:0"``."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def device(self) -> str:
        """The requested device, ``""`` where there is none."""
        return self.op.device

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return TensorShape.of(self._dims)

    def get_shape(self) -> TensorShape:
        """Returns the static shape."""
        return self.shape

    @property
    def ndim(self) -> int | None:
        """The number of dimensions, None where it is unknown."""
        return self.shape.rank

    def set_shape(self, shape: Any) -> None:
        """Merges ``shape`` into the static shape; ValueError where they are incompatible."""
        static = TensorShape(shape)
        try:
            self._dims = self.shape.merge_with(static)._dims
        except ValueError as error:
            raise ValueError(_disagreement(self._dims or (), static._dims or ())) from error

    def consumers(self) -> list[Operation]:
        """Returns the operations that have this tensor as an input, once for each such input."""
        nodes = self.graph.get_operations()
        return [node for node in nodes for x in node.inputs if x is self]

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Returns the value in a session.

        Args:
            feed_dict: The values of fed tensors.
            session: The session; the default session where None.

        Raises:
            ValueError: There is no session, or it belongs to another graph.
        """
        return evaluated(self, feed_dict, session)

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self._dims is None else f", shape={self.shape}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{device})'

    def __hash__(self) -> int:
        if self.graph.building_function:
            raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")
        return id(self)

    # ---------------------------------------------------------------- not available without a value
    def __bool__(self) -> NoReturn:
        raise OperatorNotAllowedInGraphError(
            f"Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. {_RESOLUTIONS}"
        )

    def __iter__(self) -> NoReturn:
        raise OperatorNotAllowedInGraphError(
            f"Iterating over a symbolic `tf.Tensor` is not allowed. {_RESOLUTIONS}"
        )

    def __len__(self) -> NoReturn:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather "
            "than `len(x)` for shape information."
        )

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate "
            "that you're trying to pass a Tensor to a NumPy call, which is not supported."
        )

    def __copy__(self) -> SymbolicTensor:
        return self  # each result of an operation is unique

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def __getattr__(self, name: str) -> Any:
        if name in _NUMPY_ATTRIBUTES:
            raise AttributeError(
                f"{type(self).__name__} object has no attribute '{name}'. \n"
                "        If you are looking for numpy-related methods, please run the following:\n"
                "        tf.experimental.numpy.experimental_enable_numpy_behavior()\n      "
            )
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
