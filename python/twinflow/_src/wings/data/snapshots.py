"""``Dataset.snapshot``: elements that the first iteration writes to files and later ones read.

The folder of a snapshot is named by the fingerprint of its input, so that a changed pipeline has
another one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import string
from twinflow._src.core.errors import NotFoundError
from twinflow._src.io.local_files import local
from twinflow._src.numerics.object_arrays import box
from twinflow._src.wings.data import snapshot_files as files
from twinflow._src.wings.data.dataset import DatasetSpec, DatasetV2, UnaryDataset, makes
from twinflow._src.wings.data.dataset_ops import dataset_variant
from twinflow._src.wings.data.fingerprints import fingerprint
from twinflow._src.wings.data.functions import StructuredFunction
from twinflow._src.wings.data.saved_datasets import (
    CYCLE,
    ShardFunction,
    ShardsStage,
    ShardStage,
    read_in_turn,
    traced_shard_func,
)
from twinflow._src.wings.data.stages import FilteredStage, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Element, Elements

# Microseconds after which another run replaces a snapshot that has not been finished.
_EXPIRY = 24 * 3600 * 10**6


class SnapshotStage(FilteredStage):
    """The elements of a source, or of the snapshot of it.

    Args:
        source: The stage of the source.
        path: The folder of the snapshots of all sources.
        compression: The compression of the files.
        shard: Returns the shard of an element.
        read: Returns the stage of the elements, from the array of a stage of shards.
    """

    def __init__(
        self,
        source: Stage,
        path: str,
        compression: str,
        shard: Callable[[Element], int],
        read: Callable[[Any], Stage],
    ) -> None:
        super().__init__(source)
        self.path, self.compression, self.shard, self.read = path, compression, shard, read
        self._hash: str | None = None

    @property
    def hash(self) -> str:
        """The fingerprint of the source."""
        if self._hash is None:
            self._hash = str(fingerprint(self.inputs[0]))
        return self._hash

    @property
    def folder(self) -> str:
        """The folder of the snapshot."""
        return f"{local(self.path)}/{self.hash}"

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that reads or writes the snapshot, or only passes elements on."""
        return SnapshotIterator(self, run)

    def open(self, run: Run) -> StageIterator:
        """Returns the iterator for the present state of the snapshot."""
        try:
            metadata = files.read_metadata(self.folder)
        except NotFoundError:
            return SnapshotWriter(self, run)
        if metadata.is_finalized:
            return self._reader(metadata).iterate(run)
        if metadata.created + _EXPIRY < time.time_ns() // 1000:
            return SnapshotWriter(self, run)
        return self.inputs[0].iterate(run)

    def _reader(self, metadata: files.Metadata) -> Stage:
        folders = files.shard_folders(f"{self.folder}/{metadata.run}")
        shards = [ShardStage(self.elements, f, self.compression) for f in folders]
        return self.read(box(ShardsStage(Elements(DatasetSpec(self.elements.spec)), list(shards))))


class SnapshotIterator(StageIterator):
    """An iterator that opens the snapshot at its first element."""

    def __init__(self, stage: SnapshotStage, run: Run) -> None:
        self.elements, self._stage, self._run = stage.elements, stage, run
        self._iterator: StageIterator | None = None
        self._count = 0

    def __next__(self) -> Element:
        if self._iterator is None:
            self._iterator = self._stage.open(self._run)
        element = next(self._iterator)
        self._count += 1
        return element

    def position(self) -> dict[str, Any]:
        """Returns the number of elements."""
        return {"count": self._count}

    def move(self, saved: dict[str, Any]) -> None:
        """Skips the elements of a position."""
        self._iterator, self._count = None, 0
        for _ in range(int(saved["count"])):
            next(self)


class SnapshotWriter(StageIterator):
    """An iterator over the elements of a source, which it writes to the files of a snapshot."""

    def __init__(self, stage: SnapshotStage, run: Run) -> None:
        source = stage.inputs[0].iterate(run)
        self.elements, self.upstream, self._source, self._stage = (
            stage.elements,
            (source,),
            source,
            stage,
        )
        types = files.component_types(stage.elements)
        self._metadata = files.Metadata(files.new_run(), types, stage.hash)
        os.makedirs(stage.folder, exist_ok=True)
        self._metadata.write(stage.folder)
        run_folder = f"{stage.folder}/{self._metadata.run}"
        self._writers: files.ShardWriters | None = files.ShardWriters(run_folder, stage.compression)
        run.writers.append(self)

    def __next__(self) -> Element:
        try:
            element = next(self._source)
        except StopIteration:
            self._finish()
            raise
        if self._writers is not None:
            shard = self._stage.shard(element)
            self._writers.write(shard, files.encode(self.elements, element))
        return element

    def _finish(self) -> None:
        if self._writers is not None:
            self._writers.close()
            self._writers = None
            self._metadata.is_finalized = True
            self._metadata.write(self._stage.folder)

    def stop(self) -> None:
        """Closes the files, when the iterator is dropped."""
        if self._writers is not None:
            self._writers.close()
            self._writers = None


class _SnapshotDataset(UnaryDataset):
    """The elements of a dataset, or of a snapshot of it."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        path: Any,
        compression: Any,
        reader_func: Callable[[DatasetV2], DatasetV2],
        shard_func: Callable[..., Any],
    ) -> None:
        elements = self._elements = input_dataset._elements
        kind = files.compression_of(compression)
        label = "Dataset.snapshot()"
        datasets = Elements(DatasetSpec(DatasetSpec(elements.spec)))
        functions = [
            *traced_shard_func(shard_func, elements, label),
            StructuredFunction(reader_func, label, datasets, unpacks=False),
        ]

        def stage(source: Stage, path: Any, shard: Any, read: Any) -> Stage:
            name = path[()].decode("utf-8", "surrogateescape")
            return SnapshotStage(
                source,
                name,
                kind,
                ShardFunction(shard).shard,
                lambda array: read.call((array,))[0][()],
            )

        tensors = [convert_to_tensor(path, dtype=string, name="path")]
        variant = dataset_variant(
            "SnapshotDatasetV2", stage, [input_dataset], tensors, functions, True
        )
        super().__init__(input_dataset, variant)


@makes("snapshot")
def snapshot(
    dataset: DatasetV2,
    path: Any,
    compression: Any = "AUTO",
    reader_func: Callable[[DatasetV2], DatasetV2] | None = None,
    shard_func: Callable[..., Any] | None = None,
    name: str | None = None,
) -> DatasetV2:
    """Returns a dataset that writes a snapshot once, and then reads it; see ``Dataset.snapshot``."""
    reader = reader_func or read_in_turn
    if shard_func is not None:
        return _SnapshotDataset(dataset, path, compression, reader, shard_func)
    numbered = dataset.enumerate()
    in_turn = lambda index, _: index % CYCLE
    written = _SnapshotDataset(numbered, path, compression, reader, in_turn)
    return written.map(lambda index, element: element)
