"""``tf.saved_model.experimental``: fingerprints of SavedModels."""

from __future__ import annotations

import os
import uuid
from typing import Any

from twinflow._src.core.protos import message, needed
from twinflow._src.io.local_files import local, path_text
from twinflow._src.io.local_files import read as read_file
from twinflow._src.io.local_files import write as write_file
from twinflow._src.ops.strings.hash_buckets import fingerprint64
from twinflow._src.wings.saved_model import constants
from twinflow._src.wings.saved_model.files import variables_prefix

_FIELDS = (
    "saved_model_checksum",
    "graph_def_program_hash",
    "signature_def_hash",
    "saved_object_graph_hash",
    "checkpoint_hash",
)
_VERSION = 4  # of TensorFlow's fingerprints


class Fingerprint:
    """The fingerprint of a SavedModel: 64-bit hashes of its parts.

    Two models are equal if their fingerprints are. Equal models that different programs wrote may
    have different fingerprints.

    Args:
        saved_model_checksum: The hash of the file ``saved_model.pb``.
        graph_def_program_hash: The hash of the graph with its functions.
        signature_def_hash: The hash of the signatures.
        saved_object_graph_hash: The hash of the objects.
        checkpoint_hash: The hash of the checkpoint's index.
        version: The version of these hashes.
    """

    __module__ = "twinflow.saved_model.experimental"

    def __init__(
        self,
        saved_model_checksum: int | None = None,
        graph_def_program_hash: int | None = None,
        signature_def_hash: int | None = None,
        saved_object_graph_hash: int | None = None,
        checkpoint_hash: int | None = None,
        version: Any = None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    @classmethod
    def from_proto(cls, proto: Any) -> Fingerprint:
        """Returns the fingerprint in a message.

        Args:
            proto: A ``FingerprintDef``, or its serialization.

        Raises:
            ValueError: It is none.
        """
        if isinstance(proto, bytes):
            wrong = needed("google.protobuf.message", "protobuf").DecodeError
            try:
                proto = message("FingerprintDef").FromString(proto)
            except wrong as error:
                raise ValueError(
                    f"Given proto could not be deserialized as fingerprint.Error: {error}"
                ) from error
        return cls(*(getattr(proto, field) for field in _FIELDS), version=proto.version)

    def _values(self) -> list[int | None]:
        return [getattr(self, field) for field in _FIELDS]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and self._values() == other._values()

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        lines = [f"  {field}: {value}" for field, value in zip(_FIELDS, self._values())]
        return "\n".join(["SavedModel Fingerprint", *lines])

    def __repr__(self) -> str:
        return f"Fingerprint({', '.join(map(str, self._values()))})"

    def singleprint(self) -> str:
        """Returns the hashes but the first as one string.

        Raises:
            ValueError: A hash is None.
        """
        values = self._values()[1:]
        if None in values:
            said = "".join(f"{field}: {value}" for field, value in zip(_FIELDS[1:], values))
            raise ValueError(
                f"Encounted invalid fingerprint values when constructing singleprint.{said}"
            )
        return "/".join(map(str, values))


def read_fingerprint(export_dir: Any) -> Fingerprint:
    """Reads the fingerprint of a SavedModel.

    Args:
        export_dir: The directory.

    Returns:
        The fingerprint.

    Raises:
        FileNotFoundError: There is none.
        RuntimeError: The file cannot be parsed.
    """
    path = path_text(export_dir)
    file = os.path.join(path, constants.FINGERPRINT_FILENAME)
    if not os.path.isfile(local(file)):
        raise FileNotFoundError(
            f"SavedModel Fingerprint Error: Could not find fingerprint in directory: {path}\n"
            f"NOT_FOUND: {file} not found"
        )
    try:
        return Fingerprint.from_proto(read_file(file))
    except ValueError as error:
        raise RuntimeError(
            "SavedModel Fingerprint Error: Could not read fingerprint from fingerprint.pb file in directory: "
            f"{path}\n{error}"
        ) from error


def write_fingerprint(path: str, saved_model: bytes, meta_graph: Any) -> None:
    """Writes the fingerprint of a SavedModel whose other files have been written."""
    proto = message("FingerprintDef")(uuid=str(uuid.uuid4().int))
    proto.saved_model_checksum = fingerprint64(saved_model)
    proto.graph_def_program_hash = _hash(meta_graph.graph_def)
    signatures = message("MetaGraphDef")()
    for key, signature in meta_graph.signature_def.items():
        signatures.signature_def[key].CopyFrom(signature)
    proto.signature_def_hash = _hash(signatures)
    proto.saved_object_graph_hash = _hash(meta_graph.object_graph_def)
    index = f"{variables_prefix(path)}.index"
    if os.path.isfile(local(index)):
        proto.checkpoint_hash = fingerprint64(read_file(index))
    proto.version.producer = _VERSION
    file = os.path.join(path, constants.FINGERPRINT_FILENAME)
    write_file(file, proto.SerializeToString(deterministic=True))


def _hash(proto: Any) -> int:
    return fingerprint64(proto.SerializeToString(deterministic=True))
