"""``tf.compat.v1.data.Iterator``: iterators in graphs, with a position in each session."""

from __future__ import annotations

import itertools
import re
import weakref
from collections.abc import Sequence
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, resource, string
from twinflow._src.core.errors import FailedPreconditionError, invalid
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.numerics.object_arrays import box
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.wings.data import snapshot_files as files
from twinflow._src.wings.data.dataset import DatasetV2
from twinflow._src.wings.data.dataset_ops import run_op
from twinflow._src.wings.data.iterators import IteratorBase, IteratorState, TypedIterator
from twinflow._src.wings.data.legacy_structure import (
    align,
    legacy_classes,
    legacy_shapes,
    legacy_types,
    spec_of_legacy,
)
from twinflow._src.wings.data.stages import Stage
from twinflow._src.wings.data.structure import Elements, pack_like

_NO_INITIALIZER = (
    "The iterator does not have an initializer. This means it was likely created using "
    "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
    "`tf.data.Dataset.make_initializable_iterator()` instead."
)
_RESOURCE: tuple[list[Any], list[Any], bool] = [resource], [()], True
_OPERATION: tuple[list[Any], list[Any], bool] = [], [], False

_numbers = itertools.count()
_by_handle: weakref.WeakValueDictionary[bytes, GraphIterator] = weakref.WeakValueDictionary()
_HANDLE = re.compile(rb"iterator:(\d+)")


class GraphIterator:
    """The value of an iterator resource of a graph: a position for each session.

    Args:
        elements: The type of the elements; None if the dataset decides.
        stage: The stage of a one-shot iterator.

    Attributes:
        handle: A string that identifies it.
    """

    def __init__(self, elements: Elements | None) -> None:
        self.elements = elements
        self._states: weakref.WeakKeyDictionary[Any, IteratorState] = weakref.WeakKeyDictionary()
        self.handle = b"iterator:%d" % next(_numbers)
        _by_handle[self.handle] = self

    def _owner(self) -> Any:
        return self if thread.session is None else thread.session

    def start(self, stage: Stage) -> None:
        """Sets the position of the session to the first element of a stage."""
        self._states[self._owner()] = IteratorState(stage)

    def start_once(self, stage: Stage) -> None:
        """Sets the position of the session to the first element of a stage unless there is one."""
        if self._owner() not in self._states:
            self.start(stage)

    def next_arrays(self) -> Sequence[Any]:
        """Returns the arrays of the next element; raises OutOfRangeError at the end."""
        return self._state().next_arrays()

    def next(self) -> Any:
        """Returns the next element; raises StopIteration at the end."""
        return self._state().next()

    def _state(self) -> IteratorState:
        state = self._states.get(self._owner())
        if state is None:
            raise FailedPreconditionError(
                None,
                None,
                "GetNext() failed because the iterator has not been initialized. Ensure that you have "
                "run the initializer operation for this iterator before getting the next element.",
            )
        return state


def iterator_resource(elements: Elements, shared_name: str | None) -> Any:
    """Returns the resource of an iterator without a dataset, which iterators of a name share."""
    graph = thread.scope.graph
    shared = None if graph is None else graph.__dict__.setdefault("_shared_iterators", {})
    if shared_name and shared is not None:
        value = shared.setdefault(shared_name, GraphIterator(elements))
    else:
        value = GraphIterator(elements)
    array = box(value)
    return run_op("IteratorV2", lambda: array, [], (), _RESOURCE, True)


def make_iterator(dataset: DatasetV2, tensor: Any, name: str | None = None) -> Any:
    """Returns the operation that starts an iterator at the first element of a dataset."""

    def kernel(stage: Any, iterator: Any) -> list[Any]:
        iterator[()].start(stage[()])
        return []

    inputs = [dataset._variant_tensor, tensor]
    return run_op("MakeIterator", kernel, inputs, (), _OPERATION, True, name)


class Iterator(TypedIterator, Trackable):
    """An iterator over a dataset in a graph.

    Args:
        iterator_resource: The resource.
        initializer: The operation that starts the iterator, or None.
        output_types: The structure of the dtypes of an element.
        output_shapes: The structure of the shapes.
        output_classes: The structure of the classes.
    """

    __module__ = "twinflow.compat.v1.data"

    def __init__(
        self,
        iterator_resource: Any,
        initializer: Any,
        output_types: Any,
        output_shapes: Any,
        output_classes: Any,
    ) -> None:
        if output_types is None or output_shapes is None or output_classes is None:
            raise ValueError(
                "All of `output_types`, `output_shapes`, and `output_classes` must be specified to "
                f"create an iterator. Got `output_types` = {output_types!r}, `output_shapes` = {output_shapes!r}, "
                f"`output_classes` = {output_classes!r}."
            )
        self._iterator_resource, self._initializer = iterator_resource, initializer
        self._elements = Elements(spec_of_legacy(output_types, output_shapes, output_classes))
        self._string_handle = self._handle(None)

    # ---------------------------------------------------------------- constructors
    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """Creates an iterator that initializers of ``make_initializer`` start.

        Args:
            output_types: The structure of the dtypes of an element.
            output_shapes: The structure of the shapes; unknown if None.
            shared_name: A name under which iterators share their position.
            output_classes: The structure of the classes; tensors if None.

        Returns:
            An iterator.
        """
        types, shapes, classes = _completed(output_types, output_shapes, output_classes)
        elements = Elements(spec_of_legacy(types, shapes, classes))
        return Iterator(iterator_resource(elements, shared_name), None, types, shapes, classes)

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """Creates an iterator that stands for the one of a string handle, which may be fed.

        Args:
            string_handle: A string scalar, of ``string_handle()``.
            output_types: The structure of the dtypes of an element.
            output_shapes: The structure of the shapes; unknown if None.
            output_classes: The structure of the classes; tensors if None.

        Returns:
            An iterator.

        Raises:
            InvalidArgumentError: The string is no handle, or its iterator has other dtypes (raised
                by the session's run).
        """
        types, shapes, classes = _completed(output_types, output_shapes, output_classes)
        elements = Elements(spec_of_legacy(types, shapes, classes))
        handle = convert_to_tensor(string_handle, dtype=string)
        kernel = lambda text: box(_iterator_of(text[()], elements))
        tensor = run_op("IteratorFromStringHandleV2", kernel, [handle], (), _RESOURCE, True)
        return Iterator(tensor, None, types, shapes, classes)

    # ---------------------------------------------------------------- initializers
    @property
    def initializer(self) -> Any:
        """The operation that starts the iterator; raises ValueError if there is none."""
        if self._initializer is None:
            raise ValueError(_NO_INITIALIZER)
        return self._initializer

    def make_initializer(self, dataset: DatasetV2, name: str | None = None) -> Any:
        """Returns an operation that starts the iterator at the first element of a dataset.

        Args:
            dataset: The dataset, whose elements have the structure of the iterator.
            name: A name for the operation.

        Raises:
            TypeError: The elements have other dtypes, shapes or classes.
        """
        self._check(dataset)
        return make_iterator(dataset, self._iterator_resource, name or "make_initializer")

    def _check(self, dataset: DatasetV2) -> None:
        nest.assert_same_structure(self.output_types, legacy_types(dataset.element_spec))
        pairs = (
            ("types", legacy_types, lambda a, b: a == b, ""),
            ("shapes", legacy_shapes, lambda a, b: b.is_compatible_with(a), "compatible with "),
            ("classes", legacy_classes, lambda a, b: a is b, ""),
        )
        for kind, of, fits, note in pairs:
            expected, others = of(self.element_spec), of(dataset.element_spec)
            for a, b in zip(nest.flatten(expected), nest.flatten(others)):
                if not fits(a, b):
                    raise TypeError(
                        f"Expected output {kind} {note}{expected!r} but got dataset with output {kind} "
                        f"{others!r}."
                    )

    # ---------------------------------------------------------------- elements
    def get_next(self, name: str | None = None) -> Any:
        """Returns tensors that a session computes as the next element.

        Args:
            name: A name for the operation.

        Returns:
            A structure of tensors.

        Raises:
            OutOfRangeError: There are no more elements (raised by the session's run).
            FailedPreconditionError: The iterator was not initialized (raised by the session's run).
        """
        return self._add_next(name)

    def string_handle(self, name: str | None = None) -> Any:
        """Returns the string that identifies the iterator, for ``from_string_handle``.

        Args:
            name: A name for the operation.

        Returns:
            A string scalar.
        """
        return self._string_handle if name is None else self._handle(name)

    def _handle(self, name: str | None) -> Any:
        def kernel(iterator: Any) -> Any:
            array = box(iterator[()].handle)
            return array

        inputs, results = [self._iterator_resource], ([string], [()], True)
        return run_op("IteratorToStringHandle", kernel, inputs, (), results, True, name)


def _iterator_of(handle: bytes, elements: Elements) -> GraphIterator:
    """Returns the iterator of a string handle."""
    match = _HANDLE.fullmatch(handle)
    if match is None:
        raise invalid("Could not parse string_handle as a valid ResourceHandle")
    iterator = _by_handle.get(handle)
    if iterator is None:
        raise invalid(f"Resource {handle.decode()} does not exist.")
    if iterator.elements is not None:
        types = files.component_types(iterator.elements)
        for i, (a, b) in enumerate(zip(files.component_types(elements), types)):
            if a != b:
                raise invalid(
                    f"Data type mismatch at component {i}: expected {a.cname} but got {b.cname}."
                )
    return iterator


def _completed(output_types: Any, output_shapes: Any, output_classes: Any) -> tuple[Any, Any, Any]:
    """Returns the types, shapes and classes of an element, of which the last two may be None."""
    types = nest.map_structure(as_dtype, output_types)
    if output_shapes is None:
        shapes = nest.map_structure(lambda _: TensorShape(None), types)
    else:
        shapes = pack_like(types, map(TensorShape, align(types, output_shapes)))
    if output_classes is None:
        output_classes = nest.map_structure(lambda _: Tensor, types)
    nest.assert_same_structure(types, shapes)
    return types, shapes, output_classes


# Iterators of datasets.


def one_shot(dataset: DatasetV2) -> Any:
    """Returns an iterator that needs no initializer: an eager one in eager execution."""
    if thread.scope.graph is None:
        return iter(dataset)
    _check_captures(dataset)
    value = GraphIterator(dataset._elements)
    array = box(value)

    def kernel(stage: Any) -> Any:
        value.start_once(stage[()])
        return array

    variant = [dataset._variant_tensor]
    tensor = run_op("OneShotIterator", kernel, variant, (), _RESOURCE, True)
    spec = dataset.element_spec
    return Iterator(tensor, None, legacy_types(spec), legacy_shapes(spec), legacy_classes(spec))


def _check_captures(dataset: DatasetV2) -> None:
    """Raises ValueError for a dataset that depends on placeholders or variables."""
    left, checked = [dataset._variant_tensor.op], set()
    while left:
        op = left.pop()
        if op in checked:
            continue
        checked.add(op)
        if op.type in ("Placeholder", "PlaceholderWithDefault"):
            raise ValueError(
                f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value."
            )
        if op.type in ("VarHandleOp", "VariableV2", "HashTableV2", "IteratorV2"):
            raise ValueError(
                f"Cannot capture a stateful node (name:{op.name}, type:{op.type}) by value.: A likely "
                "cause of this error is that the dataset for which you are calling "
                "`make_one_shot_iterator()` captures a stateful object, such as a `tf.Variable` or "
                "`tf.lookup.StaticHashTable`, which is not supported. Use "
                "`make_initializable_iterator()` instead."
            )
        left += [tensor.op for tensor in op.inputs]


def initializable(dataset: DatasetV2, shared_name: str | None = None) -> Iterator:
    """Returns an iterator that its initializer starts."""
    if thread.scope.graph is None:
        raise RuntimeError(
            "`make_initializable_iterator()` is not supported in eager mode. Use Python-style "
            "iteration instead."
        )
    tensor = iterator_resource(dataset._elements, shared_name)
    initializer = make_iterator(dataset, tensor)
    spec = dataset.element_spec
    return Iterator(
        tensor, initializer, legacy_types(spec), legacy_shapes(spec), legacy_classes(spec)
    )


# Types of datasets and iterators.


def _spec_of(dataset_or_iterator: Any) -> Any:
    if isinstance(dataset_or_iterator, (DatasetV2, Iterator, IteratorBase)):
        return dataset_or_iterator.element_spec
    raise TypeError(
        "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
        f"tf.data.Iterator object, but got {type(dataset_or_iterator)}."
    )


def get_output_types(dataset_or_iterator: Any) -> Any:
    """Returns the structure of the dtypes of an element.

    Args:
        dataset_or_iterator: A dataset or an iterator.
    """
    return legacy_types(_spec_of(dataset_or_iterator))


@documented_like(get_output_types)
def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """Returns the structure of the shapes of an element."""
    return legacy_shapes(_spec_of(dataset_or_iterator))


@documented_like(get_output_types)
def get_output_classes(dataset_or_iterator: Any) -> Any:
    """Returns the structure of the classes of an element."""
    return legacy_classes(_spec_of(dataset_or_iterator))


def make_one_shot_iterator(dataset: DatasetV2) -> Any:
    """Returns an iterator that needs no initializer.

    Args:
        dataset: A dataset.

    Raises:
        ValueError: The dataset depends on variables or placeholders.
    """
    return one_shot(dataset)


def make_initializable_iterator(dataset: DatasetV2, shared_name: str | None = None) -> Iterator:
    """Returns an iterator that its initializer starts.

    Args:
        dataset: A dataset.
        shared_name: A name under which iterators share their position.

    Raises:
        RuntimeError: Eager execution is enabled.
    """
    return initializable(dataset, shared_name)
