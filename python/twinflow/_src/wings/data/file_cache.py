"""``Dataset.cache`` with a file name: the elements in a checkpoint of TensorFlow's format.

The component ``j`` of element ``i`` is the tensor with the key ``"      i_j"``.
"""

from __future__ import annotations

import functools
import os
import time
from typing import Any

import numpy as np

from twinflow._src.checkpoint.bundle import Bundle, index_name
from twinflow._src.checkpoint.writer import Item, TensorWriter
from twinflow._src.core.dtypes import DType, as_dtype, string
from twinflow._src.core.errors import AlreadyExistsError, invalid
from twinflow._src.io.local_files import explained, local
from twinflow._src.wings.data.stages import FilteredStage, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Element, Elements

_WIDTH = 7


def _identity(value: Any) -> Any:
    return value


class Keys:
    """The keys of the components of elements.

    Args:
        elements: The type of the elements.

    Attributes:
        types: The dtypes of the components; those of composite tensors are separate.
    """

    def __init__(self, elements: Elements) -> None:
        specs = elements.tensor_specs()
        self.types: list[DType] = [spec.dtype for spec in specs]
        self._digits = len(str(max(len(specs) - 1, 0)))

    def of(self, index: int) -> list[str]:
        """Returns the keys of an element."""
        return [f"{index:{_WIDTH}d}_{i:{self._digits}d}" for i in range(len(self.types))]


class FileCacheStage(FilteredStage):
    """The elements of a source, written to files by the first iterator.

    Args:
        source: The stage of the elements.
        prefix: The prefix of the files.
    """

    def __init__(self, source: Stage, prefix: str) -> None:
        super().__init__(source)
        self.prefix = prefix

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the files if they are complete, else one that writes them."""
        return FileCacheIterator(self, run)

    def open(self, run: Run) -> StageIterator:
        """Returns the iterator that reads or writes."""
        if os.path.exists(local(index_name(self.prefix))):
            return CacheReader(self)
        return CacheWriter(self, run)


class FileCacheIterator(StageIterator):
    """An iterator that decides at its first element if it reads or writes."""

    def __init__(self, stage: FileCacheStage, run: Run) -> None:
        self.elements, self._stage, self._run = stage.elements, stage, run
        self._iterator: StageIterator | None = None

    def _opened(self) -> StageIterator:
        if self._iterator is None:
            self._iterator = self._stage.open(self._run)
        return self._iterator

    def __next__(self) -> Element:
        return next(self._opened())

    def position(self) -> dict[str, Any]:
        """Returns the number of elements."""
        count = 0 if self._iterator is None else self._iterator.position()["count"]
        return {"count": count}

    def move(self, saved: dict[str, Any]) -> None:
        """Skips the elements of a position."""
        if isinstance(self._iterator, CacheWriter):
            self._iterator.stop()  # the next one writes the files
        self._iterator = None
        for _ in range(int(saved["count"])):
            next(self)


class CacheReader(StageIterator):
    """An iterator over the elements in files."""

    def __init__(self, stage: FileCacheStage) -> None:
        self.elements, self._keys = stage.elements, Keys(stage.elements)
        self._bundle, self._count = Bundle(stage.prefix), 0

    def __next__(self) -> Element:
        keys = self._keys.of(self._count)
        if keys[0] not in self._bundle:
            raise StopIteration
        outputs = [self._output(key, i) for i, key in enumerate(keys)]
        self._bundle.fill(outputs, lambda size: None)
        self._count += 1
        return self.elements.element([array for _, array in outputs])

    def _output(self, key: str, index: int) -> tuple[Any, Any]:
        """Returns the entry of a component, and an array for it."""
        entry, expected = self._bundle.entry(key), self._keys.types[index]
        if entry.dtype != expected:
            raise invalid(
                f"Data type mismatch at component {index}: expected {expected.cname} but got "
                f"{entry.dtype.cname}."
            )
        self._bundle.check(entry)
        return entry, np.empty(entry.shape, object if expected == string else expected.np)

    def position(self) -> dict[str, Any]:
        """Returns the number of elements."""
        return {"count": self._count}


class CacheWriter(StageIterator):
    """An iterator over the elements of a source, which it writes to files."""

    def __init__(self, stage: FileCacheStage, run: Run) -> None:
        source = stage.inputs[0].iterate(run)
        self.elements, self.upstream, self._source = stage.elements, (source,), source
        self._keys, self._count = Keys(stage.elements), 0
        self._lock = f"{local(stage.prefix)}_0.lockfile"
        _create_lock(self._lock)
        self._writer: TensorWriter | None = TensorWriter(stage.prefix)
        run.writers.append(self)

    def __next__(self) -> Element:
        if self._writer is None:
            raise StopIteration
        try:
            element = next(self._source)
        except StopIteration:
            self._writer.commit()
            self._unlock()
            raise
        for key, array in zip(self._keys.of(self._count), self.elements.arrays(element)):
            value = np.asarray(array)
            dtype = string if value.dtype == object else as_dtype(value.dtype)
            self._writer.add(Item(key, functools.partial(_identity, value), dtype, value.shape))
        self._count += 1
        return element

    def _unlock(self) -> None:
        self._writer = None
        os.remove(self._lock)

    def stop(self) -> None:
        """Removes incomplete files, when the iterator is dropped."""
        if self._writer is not None:
            self._writer.abort()
            self._unlock()

    def position(self) -> dict[str, Any]:
        """Returns the number of elements."""
        return {"count": self._count}


def _create_lock(path: str) -> None:
    """Creates a lock file; raises AlreadyExistsError if there is one."""
    with explained(path):
        try:
            with open(path, "x") as file:
                file.write(f"Created at: {int(time.time())}")
        except FileExistsError:
            with open(path) as file:
                contents = file.read()
            raise AlreadyExistsError(
                None,
                None,
                "There appears to be a concurrent caching iterator running - cache lockfile already "
                f"exists ('{path}'). If you are sure no other running TF computations are using this "
                "cache prefix, delete the lockfile and re-initialize the iterator. Lockfile contents: "
                f"{contents}",
            ) from None
