"""Tensors and operations of graphs: what will have a value when the graph runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import OperatorNotAllowedInGraphError
from twinflow._src.core.shapes import Dims, TensorShape, text
from twinflow._src.core.tensor import _NUMPY_ATTRIBUTES, Tensor
from twinflow._src.dispatch.registry import Call, Op
from twinflow._src.graph.serializer import serializer

if TYPE_CHECKING:
    from twinflow._src.graph.graph import Graph

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
        device: The device asked for, ``""`` where none is.
        control_inputs: The operations that have to run before.
        waits: Those of the blocks around it; what an input waits for is not among ``control_inputs``.
        outputs: Its results, in a list.
        results: Its results as the op's function gives them: a tensor, a list, or None.
        index: The number of operations that were there before it.
        marks: Further attributes that files hold of it, such as ``_class``; no kernel sees them.
        variable: The variable whose memory it stands for, or None.
        implied: The axes that it goes over where its arguments name none, or None.
        shown: Whether it is there to be seen only: nothing but ``implied`` names its results.
        scope: The path of the name scope in which it was made.
    """

    __module__ = "twinflow"

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
        self.index = graph.version  # operations are made after those that they need
        self.outputs: list[SymbolicTensor] = []
        self.results: Any = None
        self.marks: dict[str, Any] = {}
        self.variable: Any = None
        self.implied: SymbolicTensor | None = None
        self.shown = False
        self.scope = ""

    @property
    def type(self) -> str:
        """The type of the op."""
        return self.definition.type

    @property
    def tensors(self) -> tuple[SymbolicTensor, ...]:
        """The tensors that it takes."""
        return tuple(x for x in leaves(self.arguments) if isinstance(x, SymbolicTensor))

    @property
    def inputs(self) -> tuple[SymbolicTensor, ...]:
        """The tensors that it takes, and those that stand for the memory of the graph's variables."""
        taken = (
            x if isinstance(x, SymbolicTensor) else self._memory(x) for x in leaves(self.arguments)
        )
        return tuple(x for x in (*taken, self.implied) if x is not None)

    def _memory(self, variable: Any) -> SymbolicTensor | None:
        """The tensor that stands for the memory of a variable of the graph, which this operation does not make itself."""
        found = getattr(getattr(variable, "_handle", None), "tensor", None)
        own = (
            isinstance(found, SymbolicTensor) and found.graph is self.graph and found.op is not self
        )
        return found if own else None

    def use(self) -> None:
        """Takes note that its results are used, so that it has to run."""
        if self.shown:
            self.shown = False
            for tensor in self.tensors:
                tensor.op.use()

    def values(self) -> tuple[SymbolicTensor, ...]:
        """The results."""
        return tuple(self.outputs)

    def call(self) -> Call:
        """What tapes are told of this operation."""
        return Call(self.definition, self.arguments, self.attrs, self.results)

    def give(self, dtypes: list[DType], shapes: list[Dims | None], single: bool) -> Any:
        """Makes the results; gives them as the op's function does."""
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
        """The value of an attribute.

        Args:
            name: Its name; those of types are those of the op's definition.

        Raises:
            ValueError: There is no such attribute.
        """
        found = serializer.attribute_of(self, name)
        if found is not None:
            return found
        raise ValueError(f"Operation {self.name!r} has no attr named {name!r}.")

    @property
    def node_def(self) -> Any:
        """The message ``NodeDef`` of the operation."""
        return serializer.node_def(self)

    def colocation_groups(self) -> list[bytes]:
        """The operations whose device this one shares, such as ``b"loc:@v"``; itself where there are none."""
        found = [x if isinstance(x, bytes) else x.encode() for x in self.marks.get("_class", ())]
        return [x for x in found if x.startswith(b"loc:@")] or [b"loc:@" + self.name.encode()]

    @property
    def op_def(self) -> Any:
        """The message ``OpDef`` of its type."""
        from twinflow._src.graph.signatures import op_def

        return op_def(serializer.written(self).type)

    @property
    def control_outputs(self) -> list[Operation]:
        """The operations that have to run after this one."""
        return [node for node in self.graph.get_operations() if self in node.control_inputs]

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs the operation in a session.

        Args:
            feed_dict: Values to give to tensors.
            session: The session; the default one where None.

        Raises:
            ValueError: There is no session, or it is one of another graph.
        """
        session_of(
            self.graph, session, "execute operation", "the operation", "`run()`", "run("
        ).run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self) -> str:
        try:
            return str(self.node_def)
        except (ImportError, NotImplementedError):  # it cannot be a message
            return repr(self)


def evaluated(value: Any, feed_dict: Any, session: Any) -> Any:
    """What a session gives for a tensor, or for what is made of tensors; see ``SymbolicTensor.eval``."""
    said = "evaluate tensor", "the tensor", "`eval()`", "eval("
    return session_of(value.graph, session, *said).run(value, feed_dict)


def session_of(graph: Any, session: Any, doing: str, what: str, call: str, start: str) -> Any:
    """The session that is given, or the default one, where it is of a graph; else ValueError."""
    found = session or (thread.sessions[-1] if thread.sessions else None)
    if found is None:
        raise ValueError(
            f"Cannot {doing} using {call}: No default session is registered. Use `with sess.as_default()"
            f"{':' if start == 'run(' else ''}` "
            f"or pass an explicit session to `{start}session=sess)`"
        )
    if found.graph is not graph:
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
    return found


def leaves(arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments of an operation, those in lists among them."""
    return [
        leaf
        for argument in arguments
        for leaf in (argument if isinstance(argument, tuple) else (argument,))
    ]


def _disagreement(own: Dims, other: Dims) -> str:
    """Why two shapes cannot be that of one tensor."""
    if len(own) != len(other):
        return f"Shapes must be equal rank, but are {len(own)} and {len(other)}"
    place = next(i for i, (a, b) in enumerate(zip(own, other)) if a != b and None not in (a, b))
    return (
        f"Dimension {place} in both shapes must be equal, but are {own[place]} and {other[place]}. "
        f"Shapes are {text(own)} and {text(other)}."
    )


class SymbolicTensor(Tensor):
    """A result of an operation of a graph.

    Attributes:
        op: The operation.
        value_index: Which of its results this is.
        dtype: The type of the elements.
    """

    def __init__(self, op: Operation, value_index: int, dtype: DType, dims: Dims | None) -> None:
        self.op, self.value_index, self.dtype = op, value_index, dtype
        self._dims = dims
        self.beside: SymbolicTensor | None = (
            None  # an earlier result, where a gradient added this one
        )
        self._value: Any = None  # what is known of the value, once it was asked for

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
        """The device asked for, ``""`` where none is."""
        return self.op.device

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return TensorShape.of(self._dims)

    def get_shape(self) -> TensorShape:
        """What is known of the shape."""
        return self.shape

    @property
    def ndim(self) -> int | None:
        """The number of dimensions, None where it is not known."""
        return self.shape.rank

    def set_shape(self, shape: Any) -> None:
        """Adds what is known of the shape; ValueError where it contradicts."""
        wanted = TensorShape(shape)
        try:
            self._dims = self.shape.merge_with(wanted)._dims
        except ValueError as error:
            raise ValueError(_disagreement(self._dims or (), wanted._dims or ())) from error

    def consumers(self) -> list[Operation]:
        """The operations that take this tensor."""
        return [node for node in self.graph.get_operations() if any(self is x for x in node.inputs)]

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value in a session.

        Args:
            feed_dict: Values to give to tensors.
            session: The session; the default one where None.

        Raises:
            ValueError: There is no session, or it is one of another graph.
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

    # ---------------------------------------------------------------- what needs a value
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
        return self  # an operation has this one for its result

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
