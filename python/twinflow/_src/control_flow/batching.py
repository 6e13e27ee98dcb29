"""Batched execution of a trace: each operation runs once for all elements of a batch.

``tf.vectorized_map`` traces a function of one element and runs its operations here, on operands
that have a batch axis in front where they differ from element to element. Operands without it,
such as captures, are not copied, and operations on such alone run once. The rule of an op, a
function of a ``BatchedCall``, stands on its block; ops whose shape rule determines it, such as
elementwise ones and reductions, need none. An operation without a rule runs once for each element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from twinflow._src.compiler.program import needed
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core import shapes
from twinflow._src.core.context import entered, thread
from twinflow._src.core.dtypes import int32, int64, variant
from twinflow._src.core.errors import OpError
from twinflow._src.core.scopes import get_logger
from twinflow._src.core.specs import TensorSpec
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Op
from twinflow._src.graph.execution_errors import in_function, is_located
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.replay import as_list, copy_operation, device_scope, op_for, run_operation
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.shape_rules import gather, linalg, values


class NoRuleError(Exception):
    """An operation has no batched form for its operands."""


class Unbatched:
    """A result that is the same for all elements."""

    def __init__(self, value: Any) -> None:
        self.value = value


class BatchedCall:
    """A call of an op for all elements of a batch.

    Args:
        batch: The batch.
        node: The operation of one element.
        inputs: The operands; those that differ between elements have a batch axis in front.
        is_batched: True for those, tuples for lists.

    Attributes:
        attrs: The attributes.
        size: The number of elements, an integer or a tensor.
    """

    def __init__(
        self, batch: Batch, node: Operation, inputs: tuple[Any, ...], is_batched: tuple[Any, ...]
    ) -> None:
        self.batch, self.node, self.inputs, self.is_batched = batch, node, inputs, is_batched
        self.attrs, self.size = node.attrs, batch.size

    # ---------------------------------------------------------------- operands
    def rank(self, i: int) -> int:
        """Returns the rank of an operand of one element."""
        rank = self.node.arguments[i].shape.rank
        if rank is None:
            raise NoRuleError
        return int(rank)

    def full(self, i: int) -> Any:
        """Returns an operand with the batch axis: broadcast if it is the same for all elements."""
        value, flags = self.inputs[i], self.is_batched[i]
        if isinstance(flags, tuple):
            return [self.batch.full(x, flag) for x, flag in zip(value, flags)]
        return self.batch.full(value, flags)

    def aligned(self, i: int, rank: int) -> Any:
        """Returns an operand that broadcasts with others of one element's rank ``rank``."""
        value, missing = self.inputs[i], rank - self.rank(i)
        if not self.is_batched[i] or not missing:
            return value
        count, *sizes = _sizes(value)
        return API["reshape"](value, [count, *[1] * missing, *sizes])

    def shared(self, i: int) -> Any:
        """Returns an operand that has to be the same for all elements."""
        flags = self.is_batched[i]
        if any(flags) if isinstance(flags, tuple) else flags:
            raise NoRuleError
        return self.inputs[i]

    def static_value(self, i: int) -> Any:
        """Returns the static value of an operand: a list or a number; None where there is none."""
        if self.node.arguments[i] is None:
            return None
        value = array_of(self.node.arguments[i])
        if value is None:
            raise NoRuleError
        return value.tolist()

    def axes(self, i: int, operand: int = 0) -> Any:
        """Returns axes behind the batch axis: those of an operand ``i``, all for None."""
        axes, rank = self.static_value(i), self.rank(operand)
        if axes is None:
            return list(range(1, rank + 1))
        return [a % rank + 1 for a in axes] if isinstance(axes, list) else self.axis(axes, rank)

    def axis(self, axis: int, rank: int) -> int:
        """Returns an axis of one element's operand of some rank, behind the batch axis."""
        return axis + 1 + (rank if axis < 0 else 0)

    def with_first(self, i: int, first: Any) -> Any:
        """Returns a vector of sizes, or a matrix of paddings, with an element in front."""
        rest = self.shared(i)
        value = array_of(self.node.arguments[i])
        if value is not None and not isinstance(first, (EagerTensor, SymbolicTensor)):
            return [first, *value.tolist()]
        first = API["cast"](first, rest.dtype)
        return API["concat"]([API["expand_dims"](first, 0), rest], 0)

    def with_rows(self, i: int) -> Any:
        """Returns index vectors with the number of the element in front."""
        return self.rows_of(self.full(i))

    def rows_of(self, indices: Any) -> Any:
        """Returns index vectors of all elements with the number of the element in front."""
        *sizes, _ = _sizes(indices)
        rows = API["range"](API["cast"](self.size, indices.dtype))
        rows = API["reshape"](rows, [self.size, *[1] * len(sizes)])
        return API["concat"]([API["broadcast_to"](rows, [*sizes, 1]), indices], -1)

    # ---------------------------------------------------------------- results
    def run(self, *inputs: Any, **attrs: Any) -> Any:
        """Runs the op on other operands, with other values for some attributes."""
        return execute(self.node.definition, list(inputs), {**self.attrs, **attrs})

    def unbatched(self, value: Any) -> Unbatched:
        """Returns a result that is the same for all elements."""
        return Unbatched(value)

    def looped(self) -> Any:
        """Has the op run once for each element, where a rule does not serve."""
        raise NoRuleError

    # ---------------------------------------------------------------- families of ops
    def elementwise(self) -> Any:
        """Runs an op that broadcasts its operands."""
        every = range(len(self.inputs))
        if sum(self.is_batched) == 1 and all(
            flag or not self.rank(i) for i, flag in enumerate(self.is_batched)
        ):
            return self.run(*self.inputs)  # the others are scalars
        rank = max(map(self.rank, every))
        return self.run(*(self.aligned(i, rank) for i in every))

    def leading(self) -> Any:
        """Runs an op whose operands have any number of leading axes."""
        kinds = enumerate(self.node.definition.kinds)
        return self.run(*(self.shared(i) if kind.host else self.full(i) for i, kind in kinds))

    def first(self) -> Any:
        """Runs an op whose first operand has any number of leading axes, and no other."""
        others = map(self.shared, range(1, len(self.inputs)))
        if not self.is_batched[0]:
            raise NoRuleError
        return self.run(self.inputs[0], *others)

    def along(self, i: int, operand: int = 0) -> Any:
        """Runs an op along the axes that an operand holds."""
        inputs = [self.full(k) if k == operand else self.shared(k) for k in range(len(self.inputs))]
        inputs[i] = self.axes(i, operand)
        return self.run(*inputs)

    def folded(self, *operands: int, results: Sequence[int] | None = None) -> Any:
        """Runs an op on rows, such as images: the batch axis of some operands becomes rows.

        ``results`` are the results that have rows, all if None.
        """
        every = range(len(self.inputs))
        fold = [self.fold(i) if i in operands else self.shared(i) for i in every]
        outputs = self.run(*fold)
        if results is None:
            return self.unfolded(outputs)
        return [self.unfolded(x, i) if i in results else x for i, x in enumerate(outputs)]

    def images(self) -> Any:
        """Runs an op on images: the batch axis becomes images."""
        roles, inputs = self.node.definition.layout, []
        for i, role in enumerate(roles[:-1]):
            if role == "sizes":
                sizes = self.shared(i)
                inputs.append(API["concat"]([sizes[:1] * self.size, sizes[1:]], 0))
            else:
                inputs.append(self.fold(i) if role == "image" else self.shared(i))
        return self.unfolded(self.run(*inputs))

    def fold(self, i: int) -> Any:
        """Returns an operand whose batch axis is merged with the one behind it."""
        value = self.full(i)
        if not self.rank(i):
            raise NoRuleError
        count, rows, *sizes = _sizes(value)
        return API["reshape"](value, [count * rows, *sizes])

    def unfolded(self, results: Any, i: int = 0) -> Any:
        """Returns results of merged rows with the batch axis in front again."""
        if isinstance(results, list):
            return [self.unfolded(x, k) for k, x in enumerate(results)]
        count, *sizes = _sizes(results)
        rows = self.node.outputs[i].shape.as_list()[0]
        return API["reshape"](
            results, [self.size, count // self.size if rows is None else rows, *sizes]
        )

    # ---------------------------------------------------------------- subgraphs and gradients
    def of_graph(
        self,
        graph: FuncGraph,
        inputs: Iterable[tuple[Any, bool]],
        fetches: Sequence[Any],
        size: Any = None,
        flags: Sequence[bool] | None = None,
    ) -> list[Any]:
        """Returns the results of a graph of one element, with the batch axis.

        ``inputs`` are tensors for its inputs, captures and variables, and True for batched ones.
        ``size`` is the number of elements where it is not that of the call. ``flags`` are False for
        results without the axis.
        """
        batch = self.batch
        inner = Batch(self.size if size is None else size, batch.falls_back, batch.warns)
        symbols = [*graph.inputs, *graph.internal_captures, *graph.variables]
        for symbol, (value, flag) in zip(symbols, inputs, strict=True):
            inner.keep(getattr(symbol, "_handle", symbol), value, flag)
        results = inner.run(graph, fetches)
        keeps = [True] * len(results) if flags is None else flags
        if any(flag and not keep for (_, flag), keep in zip(results, keeps)):
            raise NoRuleError
        return [inner.full(*r) if keep else r[0] for r, keep in zip(results, keeps)]

    def gradient(self, *dys: Any) -> list[Any]:
        """Returns the gradients of an operation with a custom gradient, traced for one element."""
        node, batch = self.node, self.batch
        graph = FuncGraph(f"{node.graph.name}_grad")  # type: ignore[attr-defined]
        graph.outer = node.graph
        with entered(thread.scope.but(graph=graph, name="", controls=(), observers=())):
            upstream = [graph.argument(t.dtype, t._dims, "grad_ys") for t in node.outputs]
            gradients = node.definition.gradient(node.call(), *upstream)  # type: ignore[misc]
            fetches = [None if g is None else graph.own(convert_to_tensor(g)) for g in gradients]
        inner = Batch(self.size, batch.falls_back, batch.warns)
        for symbol, dy in zip(upstream, dys):
            inner.keep(symbol, dy, True)
        for outer, symbol in graph.captures.values():
            inner.keep(symbol, batch.value(outer), batch.flag(outer))
        totals = iter(inner.run(graph, [x for x in fetches if x is not None]))
        pairs = [None if x is None else next(totals) for x in fetches]
        return [self._total(i, pair) for i, pair in enumerate(pairs)]

    def _total(self, i: int, pair: Any) -> Any:
        """Returns the gradient of an operand: a sum over the elements if they share it."""
        if pair is None:
            return None
        total = self.batch.full(*pair)
        return total if self.is_batched[i] else API["reduce_sum"](total, 0)


class Batch:
    """The tensors of a trace for all elements of a batch.

    Args:
        size: The number of elements, an integer or a tensor.
        falls_back: True to run operations without a rule once for each element.
        warns: True to log these.
    """

    def __init__(self, size: Any, falls_back: bool = True, warns: bool = True) -> None:
        self.size, self.falls_back, self.warns = size, falls_back, warns
        self._env: dict[int, Any] = {}
        self._batched: set[int] = set()

    # ---------------------------------------------------------------- tensors
    def keep(self, symbol: Any, value: Any, is_batched: bool) -> None:
        """Sets the tensor that stands for one of the trace."""
        self._env[id(symbol)] = value
        if is_batched:
            self._batched.add(id(symbol))

    def value(self, symbol: Any) -> Any:
        """Returns what stands for an argument of an operation; outer tensors for themselves."""
        if isinstance(symbol, tuple):
            return tuple(map(self.value, symbol))
        if not isinstance(symbol, SymbolicTensor):  # a variable, or an outer tensor
            return self._env.get(id(getattr(symbol, "_handle", symbol)), symbol)
        if symbol.op.type == "Const" and id(symbol) not in self._env:  # made where it is read
            self._env[id(symbol)] = _replay()(symbol.op, symbol.op.definition, ())
        return self._env.get(id(symbol), symbol)

    def flag(self, symbol: Any) -> Any:
        """Returns True for an argument with a batch axis; a tuple for a list."""
        if isinstance(symbol, tuple):
            return tuple(map(self.flag, symbol))
        return id(symbol) in self._batched

    def full(self, value: Any, is_batched: bool) -> Any:
        """Returns a tensor with the batch axis."""
        if is_batched:
            return value
        value = convert_to_tensor(value)
        if value.dtype is variant:
            if value.op.type != "TensorListReserve":
                raise NoRuleError
            return value  # a list without elements
        if value.shape.rank is None:
            sizes = API["concat"]([[self.size], API["shape"](value)], 0)
        else:
            sizes = [self.size, *_sizes(value)]
        return API["broadcast_to"](value, sizes)

    # ---------------------------------------------------------------- execution
    def run(self, graph: FuncGraph, fetches: Sequence[Any]) -> list[tuple[Any, bool]]:
        """Runs the operations that tensors of a trace and effects depend on.

        Raises:
            NoRuleError: The whole trace has to run once for each element.
        """
        every = graph.get_operations()
        inside = [x for node in every for x in node.definition.inside]
        effects = [node for node in every if node.definition.impure]
        for node in needed(fetches, (), [*effects, *inside]):
            if node.graph is graph and node.type not in ("Const", "Placeholder") and not node.shown:
                with device_scope(node):
                    self._run(node)
        return [(self.value(x), self.flag(x)) for x in fetches]

    def _run(self, node: Operation) -> None:
        """Runs an operation: once, by its rule, or once for each element."""
        inputs = tuple(map(self.value, node.arguments))
        flags = tuple(map(self.flag, node.arguments))
        op, batched = node.definition, any(any(f) if isinstance(f, tuple) else f for f in flags)
        try:
            if not batched and (not op.impure or op.reads_variable) and not op.inside:
                results = [Unbatched(x) for x in as_list(self._once(node, inputs))]
            elif op.is_identity and not op.no_gradient:
                results = list(inputs)
            elif (constants := _known_results(node)) is not None:
                results = constants
            else:
                results = as_list(self._by_rule(node, inputs, flags))
        except OpError as error:
            if is_located(error.message) or thread.scope.graph is not None:
                raise
            reason = error.message.split(f" [Op:{node.type}]")[0]
            raise type(error)(None, node, in_function(node, reason)) from None
        for symbol, result in zip(as_list(node.results), results):
            if isinstance(result, Unbatched):
                self.keep(symbol, result.value, False)
            else:
                self.keep(symbol, result, True)

    def _once(self, node: Operation, inputs: tuple[Any, ...]) -> Any:
        one = _replay()
        if one is copy_operation:
            inputs = _owned(inputs)
        return one(node, op_for(node, self._env, [], one), inputs)

    def _by_rule(self, node: Operation, inputs: tuple[Any, ...], flags: tuple[Any, ...]) -> Any:
        rule, graph = rule_of(node.definition), thread.scope.graph
        if rule is None:
            return self._looped(node, inputs, flags)
        try:
            call = BatchedCall(self, node, inputs, flags)
            if graph is None:
                thread.node = node  # random numbers are those of the operation
                return rule(call)
            start = graph.version
            with entered(thread.scope.but(name=f"{node.name}/pfor/")):
                results = rule(call)
            for new in islice(reversed(graph._operations.values()), graph.version - start):
                new.call_stack = node.call_stack
            return results
        except NoRuleError:
            return self._looped(node, inputs, flags)
        finally:
            thread.node = None

    def _looped(self, node: Operation, inputs: tuple[Any, ...], flags: tuple[Any, ...]) -> Any:
        """Runs an operation once for each element."""
        if not self.falls_back:
            raise ValueError(_refusal(node, inputs, flags))
        moving = [x for x, flag in zip(_flat(inputs), _flat(flags)) if flag]
        if any(x.dtype is variant for x in (*moving, *node.outputs)):
            raise NoRuleError  # tensor lists cannot be stacked
        if self.warns:
            get_logger().warning(
                "Using a while_loop for converting %s cause there is no registered converter for "
                "this op.",
                node.type,
            )
        one = _replay()

        def results_of(parts: Sequence[Any]) -> list[Any]:
            rest = iter(parts)
            chosen = _map(lambda x, flag: next(rest) if flag else x, inputs, flags)
            if one is copy_operation:
                chosen = _owned(chosen)
            results = as_list(one(node, op_for(node, self._env, [], one), chosen))
            return results[: len(node.outputs)]  # of operations without results, the operation

        if one is copy_operation:
            specs = [TensorSpec(x.shape, x.dtype) for x in node.outputs]
            stacked = API["map_fn"](
                lambda parts: [*results_of(parts[1:]), parts[0]][: len(specs) or 1],
                [API["range"](self.size), *moving],
                fn_output_signature=specs or [int32],
            )
            return stacked[: len(specs)]
        rows = [results_of([x[i] for x in moving]) for i in range(self.size)]
        if not rows:
            sizes = [[0, *(n or 0 for n in x.shape.as_list())] for x in node.outputs]
            return [API["zeros"](n, x.dtype) for n, x in zip(sizes, node.outputs)]
        return [API["stack"](column) for column in zip(*rows)]


def _replay() -> Callable[..., Any]:
    """Returns the function that runs an operation of a trace where the caller is."""
    return run_operation if thread.scope.graph is None else copy_operation


def _owned(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns operands as tensors of the current graph."""
    graph = thread.scope.graph
    is_outer = (EagerTensor, SymbolicTensor)
    return _map(lambda x, _: graph.own(x) if isinstance(x, is_outer) else x, inputs, inputs)


def _map(function: Callable[..., Any], inputs: tuple[Any, ...], flags: tuple[Any, ...]) -> Any:
    """Applies a function to operands and flags, and to the items of lists."""
    return tuple(
        tuple(map(function, x, flag)) if isinstance(x, tuple) else function(x, flag)
        for x, flag in zip(inputs, flags)
    )


def _flat(items: tuple[Any, ...]) -> list[Any]:
    return [x for item in items for x in (item if isinstance(item, tuple) else (item,))]


def _sizes(x: Any) -> list[Any]:
    """Returns the sizes of a tensor: integers where they are static, else scalars."""
    if x.shape.rank is None:
        raise NoRuleError
    dims = x.shape.as_list()
    if None not in dims:
        return list(dims)
    sizes = API["shape"](x)
    return [sizes[i] if n is None else n for i, n in enumerate(dims)]


def _known_results(node: Operation) -> list[Unbatched] | None:
    """Returns the results of an operation where shapes alone determine them, else None."""
    is_known = [x.dtype in (int32, int64) and array_of(x) is not None for x in node.outputs]
    if not is_known or not all(is_known) or node.definition.impure:
        return None
    return [Unbatched(constant(array_of(x), x.dtype)) for x in node.outputs]


def _refusal(node: Operation, inputs: tuple[Any, ...], flags: tuple[Any, ...]) -> str:
    """Returns the message for an operation without a rule."""
    symbols = _flat(tuple(node.arguments))
    shown = ", ".join(
        f"WrappedTensor(t=<tf.Tensor '{x.name}' shape={value.shape} dtype={x.dtype.name}>, "
        f"is_stacked={flag}, is_sparse_stacked=False)"
        for x, value, flag in zip(symbols, _flat(inputs), _flat(flags))
    )
    return (
        f"No pfor vectorization defined for {node.type}\n{node}\n inputs: [{shown}]."
        "Consider enabling the fallback_to_while_loop option to pfor, which may run slower."
    )


# The rules of ops whose shape rule determines how they run.


def rule_of(op: Op) -> Callable[[BatchedCall], Any] | None:
    """Returns the rule of an op, or None."""
    if op.batched is not None:
        return op.batched
    if op.impure:
        return None
    if op.layout:
        return BatchedCall.images if op.layout[-1] == "image" else None
    if op.shape is shapes.same and (op.each or "axis" in op.names):
        return BatchedCall.leading if op.each else None
    return _RULES.get(op.shape) or (BatchedCall.leading if op.each else None)


def _reduced(call: BatchedCall) -> Any:
    return call.along(1)


_RULES: dict[Any, Callable[[BatchedCall], Any]] = {
    shapes.same: BatchedCall.first,
    shapes.broadcast: BatchedCall.elementwise,
    gather.selected: BatchedCall.elementwise,
    linalg.products: BatchedCall.elementwise,
    linalg.solved_by_substitution: BatchedCall.elementwise,
    gather.reduced: _reduced,
    values.reversed_along: _reduced,
    gather.largest: BatchedCall.first,
    linalg.diagonals: BatchedCall.first,
    linalg.of_diagonals: BatchedCall.first,
    **dict.fromkeys(
        (
            linalg.square,
            linalg.of_square,
            linalg.log_determinant,
            linalg.eigen,
            linalg.permuted,
            linalg.orthogonal,
            linalg.singular,
            linalg.solved,
            linalg.with_diagonals,
            linalg.crossed,
        ),
        BatchedCall.leading,
    ),
}
