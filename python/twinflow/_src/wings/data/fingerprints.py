"""Fingerprints of datasets: equal for equal pipelines, in any process."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import uint64
from twinflow._src.wings.data.dataset import DatasetV2, makes
from twinflow._src.wings.data.dataset_ops import run_op
from twinflow._src.wings.data.functions import BoundFunction
from twinflow._src.wings.data.stages import Stage


def fingerprint(stage: Stage) -> int:
    """Returns a hash of 64 bits of a stage: of its operations, tensors, functions and inputs."""
    digest = hashlib.sha256()
    _add_stage(digest, stage)
    return int.from_bytes(digest.digest()[:8], "little")


@makes("fingerprint")
def _fingerprint(dataset: DatasetV2) -> Any:
    kernel = lambda source: np.asarray(fingerprint(source[()]), np.uint64)
    results = [uint64], [()], True
    return run_op("DatasetFingerprint", kernel, [dataset._variant_tensor], (), results)


def _add_stage(digest: Any, stage: Stage) -> None:
    type, values = stage.origin
    digest.update(f"{type}({stage.elements.spec!r}".encode())
    for value in values:
        _add_value(digest, value)
    digest.update(b")")


def _add_value(digest: Any, value: Any) -> None:
    if isinstance(value, Stage):
        _add_stage(digest, value)
    elif isinstance(value, BoundFunction):
        _add_function(digest, value)
    elif isinstance(value, np.ndarray) and value.dtype == object:
        digest.update(f"object{value.shape}".encode())
        for item in value.reshape(-1):
            _add_value(digest, item)
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        digest.update(f"{len(data)}:".encode() + data)
    else:
        digest.update(value.__class__.__name__.encode())


def _add_function(digest: Any, function: BoundFunction) -> None:
    """Adds the operations of a traced function, by their positions, and the values that it captures."""
    graph = function.function.graph
    try:
        nodes = graph.as_graph_def().node
    except NotImplementedError:  # operations without a definition, such as Python functions
        digest.update(" ".join(op.type for op in graph.get_operations()).encode())
        nodes = []
    indices = {node.name: str(i) for i, node in enumerate(nodes)}
    for node in nodes:
        inputs = [_position(name, indices) for name in node.input]
        digest.update(f"{node.op}({','.join(inputs)}".encode())
        for key in sorted(node.attr):
            if not node.attr[key].HasField("func"):
                digest.update(key.encode() + node.attr[key].SerializeToString(deterministic=True))
        digest.update(b")")
    for value in function.captures:
        _add_value(digest, value)


def _position(name: str, indices: dict[str, str]) -> str:
    """Returns an input with the index of a node in place of its name."""
    node, _, rest = name.removeprefix("^").partition(":")
    return f"{indices.get(node, node)}:{rest}"
