"""``Dataset.save`` and ``Dataset.load``, in TensorFlow's files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.checkpoint.manager import CheckpointManager
from twinflow._src.checkpoint.objects import Checkpoint
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int64, string
from twinflow._src.core.errors import NotFoundError, invalid
from twinflow._src.core.protos import message
from twinflow._src.core.specs import TensorSpec
from twinflow._src.io.local_files import local, path_text, read, write
from twinflow._src.numerics.object_arrays import box
from twinflow._src.variables.variable import ResourceVariable
from twinflow._src.wings.data import positions
from twinflow._src.wings.data import snapshot_files as files
from twinflow._src.wings.data.dataset import (
    DatasetSource,
    DatasetSpec,
    DatasetV2,
    UnaryDataset,
    makes,
)
from twinflow._src.wings.data.dataset_ops import dataset_variant, run_op
from twinflow._src.wings.data.functions import StructuredFunction
from twinflow._src.wings.data.stages import SAVED, IndexIterator, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Element, Elements

SPEC_FILE = "dataset_spec.pb"
# Number of shards that are read in turn, as TensorFlow reads on a machine with as many cores.
CYCLE = os.cpu_count() or 1


# Specs of elements in files.


def write_spec(folder: str, spec: Any) -> None:
    """Writes the spec of the elements into a folder."""
    from twinflow._src.wings.saved_model.structures import NotEncodableError, encode

    try:
        data = encode(spec).SerializeToString()
    except NotEncodableError as error:
        raise invalid(f"Elements of type {spec!r} cannot be written to files. {error}") from None
    write(f"{folder}/{SPEC_FILE}", data)


def read_spec(folder: str) -> Any:
    """Reads the spec of the elements from a folder; raises NotFoundError if there is none."""
    from twinflow._src.wings.saved_model.structures import decode

    path = os.path.join(folder, SPEC_FILE)
    if not os.path.exists(local(path)):
        raise NotFoundError(None, None, f"tf.data snapshot element_spec file not found: {path}.")
    return decode(message("StructuredValue").FromString(read(path)))


# Shards of elements.


class ShardFunction:
    """A function that returns the shard of an element, checked and bound.

    Args:
        function: The bound function.
    """

    def __init__(self, function: Any) -> None:
        self._call = function.call
        leaves = function.elements.leaves
        spec = leaves[0].spec if len(leaves) == 1 else None
        self._is_valid = (
            isinstance(spec, TensorSpec)
            and spec.dtype == int64
            and spec.shape.is_compatible_with([])
        )

    def shard(self, element: Element) -> int:
        """Returns the index of the shard; raises InvalidArgumentError for another result."""
        if not self._is_valid:
            raise invalid("`shard_func` must return a scalar int64.")
        return int(self._call(element)[0])


def traced_shard_func(
    shard_func: Callable[..., Any] | None, elements: Elements, label: str
) -> list[StructuredFunction]:
    """Returns a traced shard function in a list, which is empty for None."""
    return [] if shard_func is None else [StructuredFunction(shard_func, label, elements)]


# Saving.


@makes("save")
def save(
    dataset: DatasetV2,
    path: Any,
    compression: Any = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: dict[str, Any] | None = None,
) -> None:
    """Saves a dataset; see ``Dataset.save``."""
    if checkpoint_args is not None:
        save_with_checkpoints(dataset, path, compression, shard_func, checkpoint_args)
        return
    folder = path_text(path)
    write_spec(folder, dataset.element_spec)
    _save_elements(dataset, folder, compression, shard_func)


def _save_elements(
    dataset: DatasetV2, folder: str, compression: Any, shard_func: Callable[..., Any] | None
) -> None:
    kind = files.compression_of(compression)
    functions = traced_shard_func(shard_func, dataset._elements, "Dataset.save()")

    def kernel(source: Any, path: Any, *shard_functions: Any) -> list[Any]:
        _write(source[()], path[()].decode("utf-8", "surrogateescape"), kind, shard_functions)
        return []

    inputs = [dataset._variant_tensor, convert_to_tensor(folder, string)]
    run_op("SaveDatasetV2", kernel, inputs, functions, ([], [], False), True)


def _write(stage: Stage, path: str, kind: str, shard_functions: Any) -> None:
    """Writes the elements of a stage into a folder."""
    folder, elements = local(path), stage.elements
    shard = ShardFunction(shard_functions[0]).shard if shard_functions else lambda element: 0
    metadata = files.Metadata(files.new_run(), files.component_types(elements))
    run, writers = Run(stage), files.ShardWriters(f"{folder}/{metadata.run}", kind)
    try:
        metadata.write(folder)
        for element in stage.iterate(run):
            writers.write(shard(element), files.encode(elements, element))
            metadata.count += 1
        writers.close()
    except BaseException:
        writers.remove()
        raise
    finally:
        run.close()
    metadata.is_finalized = True
    metadata.write(folder)


def save_with_checkpoints(
    dataset: DatasetV2,
    path: Any,
    compression: Any,
    shard_func: Callable[..., Any] | None,
    checkpoint_args: dict[str, Any],
) -> None:
    """Saves a dataset with checkpoints of the progress, from the last of which it goes on."""
    if not isinstance(checkpoint_args, dict):
        raise TypeError("Invalid `checkpoint_args`. `checkpoint_args` must be a dictionary.")
    folder = path_text(path)
    write_spec(folder, dataset.element_spec)
    state = ResourceVariable("", dtype=string, trainable=False)
    manager = CheckpointManager(Checkpoint(state=state), **checkpoint_args)
    if manager.latest_checkpoint is not None:
        manager.checkpoint.restore(manager.latest_checkpoint)
    kind = files.compression_of(compression)
    shard = _eager_shard(dataset, shard_func)
    progress = _Progress(dataset._stage, local(folder), kind, state.numpy().decode())
    counter = checkpoint_args.get("step_counter")
    try:
        for element in progress.elements():
            progress.write(shard(element), element)
            if counter is not None:
                counter.assign_add(1)
            interval = checkpoint_args.get("checkpoint_interval")
            if interval is None or counter is None or int(counter) % interval == 0:
                state.assign(progress.save())
                manager.save()
        progress.finish()
        state.assign(progress.save())
        manager.save()
    finally:
        progress.close()


def _eager_shard(dataset: DatasetV2, shard_func: Any) -> Callable[[Element], int]:
    if shard_func is None:
        return lambda element: 0
    function = StructuredFunction(shard_func, "Dataset.save()", dataset._elements)
    return ShardFunction(function.bind([*function.tensors, *function.variables])).shard


class _Progress:
    """The progress of a save, which checkpoints hold as text.

    Args:
        stage: The stage of the dataset.
        folder: The folder.
        kind: The compression of the files.
        saved: The text of a checkpoint, or "".
    """

    def __init__(self, stage: Stage, folder: str, kind: str, saved: str) -> None:
        self._stage, self._folder, self._run = stage, folder, Run(stage)
        self._iterator = stage.iterate(self._run)
        state = positions.decode(saved.encode()) if saved else {}
        types = files.component_types(stage.elements)
        count = int(state.get("count", 0))
        self._metadata = files.Metadata(state.get("run") or files.new_run(), types, count=count)
        self._is_finished = bool(state.get("is_finished"))
        if saved and not self._is_finished:
            self._iterator.restore(state["position"])
        number = int(state.get("number", 0))
        self._writers = files.ShardWriters(f"{folder}/{self._metadata.run}", kind, number)
        if not self._is_finished:
            self._metadata.write(folder)

    def elements(self) -> Iterator[Element]:
        """Returns an iterator over the elements that are left."""
        return iter(()) if self._is_finished else iter(self._iterator)

    def write(self, shard: int, element: Element) -> None:
        """Writes an element to a shard."""
        self._writers.write(shard, files.encode(self._stage.elements, element))
        self._metadata.count += 1

    def save(self) -> str:
        """Closes the files, and returns the text for a checkpoint."""
        self._writers.start_files()
        return positions.encode(
            {
                "run": self._metadata.run,
                "count": self._metadata.count,
                "number": self._writers.number,
                "is_finished": self._is_finished,
                "position": self._iterator.save(),
            }
        ).decode()

    def finish(self) -> None:
        """Marks the dataset as complete."""
        self._writers.close()
        self._is_finished = self._metadata.is_finalized = True
        self._metadata.write(self._folder)

    def close(self) -> None:
        """Closes the files and the iterator."""
        self._writers.close()
        self._run.close()


# Loading.


class ShardStage(Stage):
    """The elements of a shard.

    Args:
        elements: Their type.
        folder: The folder of the shard.
        compression: The compression of the files.
    """

    def __init__(self, elements: Elements, folder: str, compression: str) -> None:
        self.elements, self._folder, self._compression = elements, folder, compression

    def read(self) -> Iterator[Element]:
        """Returns an iterator of the elements."""
        return files.read_shard(self.elements, self._folder, self._compression)

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator at the first element."""
        return ShardIterator(self)

    def saved(self) -> Any:
        """Returns the folder."""
        return {"kind": "shard", "folder": self._folder, "compression": self._compression}


SAVED["shard"] = lambda elements, saved: ShardStage(elements, saved["folder"], saved["compression"])


class ShardIterator(StageIterator):
    """An iterator over the elements of a shard."""

    def __init__(self, stage: ShardStage) -> None:
        self.elements, self._stage = stage.elements, stage
        self._values, self._count = stage.read(), 0

    def __next__(self) -> Element:
        element = next(self._values)
        self._count += 1
        return element

    def position(self) -> dict[str, Any]:
        """Returns the number of elements read."""
        return {"count": self._count}

    def move(self, saved: dict[str, Any]) -> None:
        """Reads the shard from its start up to a position."""
        self._values, self._count = self._stage.read(), 0
        for _ in range(int(saved["count"])):
            next(self)


class ShardsStage(Stage):
    """The shards of a run, each a dataset.

    Args:
        elements: The type of the datasets.
        shards: The stages of the shards.
    """

    def __init__(self, elements: Elements, shards: list[Stage]) -> None:
        self.elements, self._shards = elements, shards

    def cardinality(self) -> int:
        """Returns the number of shards."""
        return len(self._shards)

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the shards."""
        row = lambda index: (box(self._shards[index]),)
        return IndexIterator(self.elements, row, len(self._shards))


class ShardsDataset(DatasetSource):
    """The shards of a saved dataset, each a dataset.

    Args:
        folder: The folder of the saved dataset.
        element_spec: The spec of the elements of the shards.
        compression: The compression of the files.
    """

    def __init__(self, folder: str, element_spec: Any, compression: str) -> None:
        self._elements = Elements(DatasetSpec(element_spec))
        inner = Elements(element_spec)

        def stage(path: Any) -> Stage:
            name = path[()].decode("utf-8", "surrogateescape")
            metadata = files.read_metadata(local(name))
            shards = files.shard_folders(f"{local(name)}/{metadata.run}")
            return ShardsStage(self._elements, [ShardStage(inner, s, compression) for s in shards])

        tensors = [convert_to_tensor(folder, string)]
        super().__init__(dataset_variant("SnapshotDatasetReader", stage, (), tensors))


def read_in_turn(datasets: DatasetV2) -> DatasetV2:
    """Returns the elements of shards, as many in turn as TensorFlow reads at a time."""
    return datasets.interleave(lambda dataset: dataset, cycle_length=CYCLE)


class CountedStage(Stage):
    """A stage with a known number of elements."""

    def __init__(self, source: Stage, elements: Elements, count: int) -> None:
        self.inputs, self.elements, self._count = (source,), elements, count

    def cardinality(self) -> int:
        """Returns the known number."""
        return self._count

    def iterate(self, run: Run) -> StageIterator:
        """Returns the iterator of the source."""
        return self.inputs[0].iterate(run)


@makes("load")
class _LoadDataset(UnaryDataset):
    """The elements of a saved dataset."""

    def __init__(
        self,
        path: Any,
        element_spec: Any = None,
        compression: Any = None,
        reader_func: Callable[[DatasetV2], DatasetV2] | None = None,
        wait: bool = False,
    ) -> None:
        folder = path_text(path)
        while wait and not os.path.exists(local(os.path.join(folder, files.METADATA))):
            time.sleep(1)
        spec = read_spec(folder) if element_spec is None else element_spec
        elements = self._elements = Elements(spec)
        count = files.read_metadata(local(folder)).count
        shards = ShardsDataset(folder, spec, files.compression_of(compression))
        source = (reader_func or read_in_turn)(shards)
        _check_source(source, elements)
        stage = lambda stage: CountedStage(stage, elements, count)
        super().__init__(source, dataset_variant("LoadDataset", stage, [source]))


def _check_source(source: Any, elements: Elements) -> None:
    """Raises InvalidArgumentError if a reader function has not returned a dataset of elements."""
    if not isinstance(source, DatasetV2):
        raise invalid("Dataset tensor must be a scalar of dtype DT_VARIANT.")
    expected, types = files.component_types(elements), files.component_types(source._elements)
    for i, (a, b) in enumerate(zip(expected, types)):
        if a != b:
            raise invalid(
                f"Data type mismatch at component {i}: expected {a.cname} but got {b.cname}."
            )
