"""Files of saved datasets and of snapshots, in TensorFlow's layout.

A folder holds ``snapshot.metadata`` and, in a folder named by the run that wrote it, a folder for each
shard with a TFRecord file of ``TensorProto`` messages, one for each component of an element::

    <folder>/snapshot.metadata
    <folder>/<run>/00000000.shard/00000000.snapshot
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np

from twinflow._src.core.dtypes import DType, as_dtype, variant
from twinflow._src.core.errors import DataLossError, NotFoundError, OutOfRangeError, invalid
from twinflow._src.core.protos import message, needed
from twinflow._src.graph_serialization.tensor_proto import content_proto, values_of
from twinflow._src.io.local_files import explained
from twinflow._src.io.records import TFRecordOptions, frame, read_records
from twinflow._src.io.snappy import Compressor
from twinflow._src.io.varints import read_varint, varint
from twinflow._src.wings.data.structure import (
    Composite,
    Element,
    Elements,
    Ragged,
    Sparse,
    Variant,
    dims_text,
    representation_of,
)

METADATA = "snapshot.metadata"
_VERSION = 2
_RAGGED, _TENSOR = "RaggedTensorVariant", "tensorflow::Tensor"


def compression_of(name: Any) -> str:
    """Returns the compression of files: as TensorFlow, no one for an unknown name."""
    return "SNAPPY" if name == "AUTO" else name if name in ("GZIP", "ZLIB", "SNAPPY") else ""


# Components of elements as messages.


def component_types(elements: Elements) -> list[DType]:
    """Returns the dtypes of the components in a file: variant for composite tensors."""
    return [
        variant if isinstance(leaf, (Composite, Variant)) else leaf.dtype
        for leaf in elements.leaves
    ]


def encode(elements: Elements, element: Element) -> list[bytes]:
    """Returns the serialized components of an element.

    Raises InvalidArgumentError for datasets, optionals and other composites that have no message.
    """
    return [_encode_leaf(leaf, x) for leaf, x in zip(elements.leaves, element)]


def _encode_leaf(leaf: Any, value: Any) -> bytes:
    if isinstance(leaf, Ragged):
        flat, *splits = value
        tensors = [_array_proto(x) for x in (*splits, flat)]
        return _variants((), [_variant_data(_RAGGED, tensors)])
    if isinstance(leaf, Sparse):
        parts = [_variant_data(_TENSOR, [_array_proto(x)]) for x in value]
        return _variants((3,), parts)
    if isinstance(leaf, (Composite, Variant)):
        raise invalid(f"Elements of type {leaf.spec!r} cannot be written to files.")
    proto: bytes = content_proto(np.asarray(value), leaf.dtype).SerializeToString()
    return proto


def _array_proto(array: Any) -> Any:
    return content_proto(array, as_dtype(array.dtype))


def _variant_data(type_name: str, tensors: list[Any]) -> bytes:
    data: bytes = message("VariantTensorDataProto")(
        type_name=type_name, tensors=tensors
    ).SerializeToString()
    return data


def _variants(dims: tuple[int, ...], parts: list[bytes]) -> bytes:
    proto = content_proto(np.zeros(dims, np.int8), variant)
    proto.tensor_content = b"".join([*(varint(len(part)) for part in parts), *parts])
    data: bytes = proto.SerializeToString()
    return data


class Decoder:
    """Decoder of the components of elements.

    Args:
        elements: The type of the elements.
        path: The file, for errors.
    """

    def __init__(self, elements: Elements, path: str) -> None:
        self._leaves, self._path = elements.leaves, path
        self._types = component_types(elements)
        self.count = len(self._leaves)

    def decode(self, records: Sequence[bytes], first: int) -> Element:
        """Returns the element of serialized components, of which ``first`` is the index in the file."""
        return tuple(
            [
                self._decode(leaf, data, i, first + i)
                for i, (leaf, data) in enumerate(zip(self._leaves, records))
            ]
        )

    def _decode(self, leaf: Any, data: bytes, index: int, record: int) -> Any:
        failure = needed("google.protobuf.message", "protobuf").DecodeError
        try:
            proto = message("TensorProto").FromString(data)
            dtype = as_dtype(proto.dtype)
            self._check_type(dtype, index)
            if dtype is variant:
                return _decode_composite(leaf, proto)
            array = values_of(proto)[0]
        except (failure, LookupError, TypeError, ValueError) as error:
            raise DataLossError(
                None,
                None,
                f"Unable to parse tensor from stored proto in file: {self._path}, record {record}. "
                f"{error}",
            ) from None
        if not leaf.fits(array):
            raise invalid(
                f"Incompatible shapes at component {index}: expected {_dims_of(leaf)} but got "
                f"{dims_text(array.shape)}."
            )
        return array

    def _check_type(self, dtype: DType, index: int) -> None:
        expected = self._types[index]
        if dtype != expected:
            raise invalid(
                f"Data type mismatch at component {index}: expected {expected.cname} but got "
                f"{dtype.cname}."
            )


def _dims_of(leaf: Any) -> str:
    dims = leaf.spec.shape._dims
    return "<unknown>" if dims is None else dims_text(["?" if d is None else d for d in dims])


def _decode_composite(leaf: Any, proto: Any) -> Any:
    """Returns the arrays of a composite tensor."""
    dims = tuple(dim.size for dim in proto.tensor_shape.dim)
    parts = _split(proto.tensor_content, int(np.prod(dims)))
    decoded = [message("VariantTensorDataProto").FromString(part) for part in parts]
    tensors = [[values_of(t)[0] for t in data.tensors] for data in decoded]
    names = {data.type_name for data in decoded}
    if isinstance(leaf, Sparse) and dims == (3,) and names == {_TENSOR}:
        return tuple(t[0] for t in tensors)
    if isinstance(leaf, Ragged) and names <= {_RAGGED}:
        return _joined_ragged(leaf, dims, tensors)
    raise ValueError(f"a variant of type {', '.join(sorted(names))}")


def _joined_ragged(leaf: Any, dims: tuple[int, ...], tensors: list[list[Any]]) -> Any:
    """Returns a ragged tensor of variants, whose dimensions are its outer ones."""
    if not dims:
        *splits, flat = tensors[0]
        return (flat, *splits)
    inner = representation_of(leaf.unbatched())
    count = int(np.prod(dims[1:]))
    rows = [
        _joined_ragged(inner, dims[1:], tensors[i * count : (i + 1) * count])
        for i in range(dims[0])
    ]
    return leaf.stack(rows)


def _split(content: bytes, count: int) -> list[bytes]:
    """Returns the serialized variants in the content of a tensor."""
    lengths, offset = [], 0
    for _ in range(count):
        length, offset = read_varint(content, offset)
        lengths.append(length)
    parts = []
    for length in lengths:
        parts.append(content[offset : offset + length])
        offset += length
    return parts


# Metadata.


class Metadata:
    """The metadata of a saved dataset or snapshot.

    Args:
        run: The name of the folder of the run.
        types: The dtypes of the components.
        graph_hash: The hash of the dataset, for snapshots.
        count: The number of elements; -1 while it is unknown.
        is_finalized: True if all elements are written.
        created: The time of creation in microseconds.
    """

    def __init__(
        self,
        run: str,
        types: Sequence[DType],
        graph_hash: str = "",
        count: int = 0,
        is_finalized: bool = False,
        created: int = 0,
    ) -> None:
        self.run, self.types, self.graph_hash = run, list(types), graph_hash
        self.count, self.is_finalized = count, is_finalized
        self.created = created or time.time_ns() // 1000

    def write(self, folder: str) -> None:
        """Writes the file."""
        proto = message("SnapshotMetadataRecord")(
            graph_hash=self.graph_hash,
            run_id=self.run,
            creation_timestamp=self.created,
            version=_VERSION,
            dtype=[dtype.as_datatype_enum for dtype in self.types],
            num_elements=self.count,
            finalized=self.is_finalized,
        )
        path = f"{folder}/{METADATA}"
        temporary = f"{path}.{os.getpid()}.tmp"
        with explained(path):
            with open(temporary, "wb") as file:
                file.write(proto.SerializeToString())
            os.replace(temporary, path)


def read_metadata(folder: str) -> Metadata:
    """Reads the metadata in a folder."""
    failure = needed("google.protobuf.message", "protobuf").DecodeError
    path = os.path.join(folder, METADATA)
    if not os.path.exists(path):
        raise NotFoundError(None, None, f"Could not find metadata file [{folder}]")
    with explained(path), open(path, "rb") as file:
        data = file.read()
    try:
        proto = message("SnapshotMetadataRecord").FromString(data)
        types = [as_dtype(number) for number in proto.dtype]
    except (failure, TypeError):
        raise OutOfRangeError(None, None, "Read less bytes than requested") from None
    if os.path.basename(proto.run_id) != proto.run_id or proto.run_id in ("", ".", ".."):
        raise DataLossError(None, None, f"{path} names the run {proto.run_id!r}")
    if proto.version != _VERSION:
        raise invalid(f"Snapshot version {proto.version} of {path} is not supported.")
    return Metadata(
        proto.run_id,
        types,
        proto.graph_hash,
        proto.num_elements,
        proto.finalized,
        proto.creation_timestamp,
    )


def new_run() -> str:
    """Returns a random name for the folder of a run."""
    return str(int.from_bytes(os.urandom(8), "little"))


# Shards.


class ShardWriter:
    """Writer of a shard.

    Args:
        folder: The folder of the run.
        index: The index of the shard.
        compression: The compression of the file.
        number: The number of the file.
    """

    def __init__(self, folder: str, index: int, compression: str, number: int = 0) -> None:
        shard = f"{folder}/{index % 2**64:08d}.shard"
        path = f"{shard}/{number:08d}.snapshot"
        self._compressor: Any = None
        if compression == "SNAPPY":
            self._compressor = Compressor()
        elif compression:
            self._compressor = TFRecordOptions(compression)._compressor(compression)
        with explained(path):
            os.makedirs(shard, exist_ok=True)
            self._file: IO[bytes] = open(path, "wb")  # noqa: SIM115

    def write(self, records: Sequence[bytes]) -> None:
        """Appends records."""
        data = b"".join([frame(record) for record in records])
        self._file.write(self._compressor.compress(data) if self._compressor else data)

    def close(self) -> None:
        """Writes what is left, and closes the file."""
        if self._compressor:
            self._file.write(self._compressor.flush())
        self._file.close()


class ShardWriters:
    """Writers of the shards of a run.

    Args:
        folder: The folder of the run.
        compression: The compression of the files.
        number: The number of the first file of each shard.
    """

    def __init__(self, folder: str, compression: str, number: int = 0) -> None:
        self._folder, self._compression, self.number = folder, compression, number
        self._writers: dict[int, ShardWriter] = {}
        with explained(folder):
            os.makedirs(folder, exist_ok=True)

    def write(self, shard: int, records: Sequence[bytes]) -> None:
        """Appends records to a shard."""
        writer = self._writers.get(shard)
        if writer is None:
            writer = self._writers[shard] = ShardWriter(
                self._folder, shard, self._compression, self.number
            )
        with explained(self._folder):
            writer.write(records)

    def close(self) -> None:
        """Closes the files."""
        writers, self._writers = self._writers, {}
        for writer in writers.values():
            writer.close()

    def start_files(self) -> None:
        """Closes the files; later records go to the next file of each shard."""
        self.close()
        self.number += 1

    def remove(self) -> None:
        """Closes and removes the files."""
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def shard_folders(run_folder: str) -> list[str]:
    """Returns the folders of the shards of a run, in order."""
    try:
        names = os.listdir(run_folder)
    except OSError:
        return []
    return [f"{run_folder}/{name}" for name in sorted(names) if name.endswith(".shard")]


def read_shard(elements: Elements, folder: str, compression: str) -> Iterator[Element]:
    """Yields the elements of a shard, whose files follow each other."""
    names = sorted(name for name in os.listdir(folder) if name.endswith(".snapshot"))
    for name in names or ["00000000.snapshot"]:
        path = f"{folder}/{name}"
        decoder = Decoder(elements, path)
        records: list[bytes] = []
        for number, record in enumerate(read_records(path, compression)):
            records.append(record)
            if len(records) == decoder.count:
                yield decoder.decode(records, number + 1 - decoder.count)
                records = []
        if records:
            raise DataLossError(None, None, f"{path} ends within an element")
