"""Checkpoints of variables that other tasks have: each task writes and reads its own values.

A task that reaches the directory of a checkpoint writes a shard, and the shards are merged at the
end, so that the former checkpoint is complete until then. The values of other tasks pass this
process.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from twinflow._src.checkpoint.bundle import index_name
from twinflow._src.checkpoint.reader import Reader, merge
from twinflow._src.checkpoint.values import is_symbolic, pieces, spec_text
from twinflow._src.checkpoint.writer import Item, write
from twinflow._src.core.errors import NotFoundError, PermissionDeniedError
from twinflow._src.io import atomic_write as files
from twinflow._src.io.local_files import local

# Errors of a task that has no such directory, or must not use it.
_NOT_THERE = (PermissionDeniedError, NotFoundError)


def save(
    prefix: str,
    items: Sequence[Item],
    durable: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Saves tensors as a checkpoint; see ``writer.write``."""
    groups = _by_backend(items)
    if not groups:
        write(prefix, items, durable=durable, progress=progress)
        return
    folder, count = Path(f"{local(prefix)}_temp"), len(groups) + 1
    shards = [f"{prefix}_temp/part-{i:05}-of-{count:05}" for i in range(count)]
    files.make_folder(str(folder), durable)
    try:
        started = [
            (group, shard, backend.save(shard, group))
            for (backend, group), shard in zip(groups.items(), shards[1:])
        ]
        here = [item for item in items if item.array is None]
        written = [shards[0]]
        for group, shard, wait in started:
            with suppress(*_NOT_THERE):
                wait()
            if Path(index_name(local(shard))).exists():
                written.append(shard)
            else:
                here += group
        write(shards[0], here, durable=durable, progress=progress)
        merge(written, prefix, durable=durable)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _by_backend(items: Sequence[Item]) -> dict[Any, list[Item]]:
    groups: dict[Any, list[Item]] = {}
    for item in items:
        if item.array is not None:
            groups.setdefault(item.array.device.backend, []).append(item)
    return groups


def restore(reader: Reader, values: Sequence[tuple[Any, str]]) -> set[int]:
    """Has other tasks restore their variables.

    Args:
        reader: The checkpoint.
        values: Variables, or None, and their keys.

    Returns:
        The indices of the variables that were restored.
    """
    requests: dict[Any, list[tuple[Any, str, str]]] = {}
    owners: dict[int, set[Any]] = {}
    for i, (variable, key) in enumerate(values):
        for handle, part in () if variable is None or is_symbolic(variable) else pieces(variable):
            if handle.device.remote:
                requests.setdefault(handle.device.backend, []).append(
                    (handle, key, spec_text(part))
                )
                owners.setdefault(i, set()).add(handle.device.backend)
    waits = {backend: backend.restore(reader.prefix, group) for backend, group in requests.items()}
    failed = set()
    for backend, wait in waits.items():
        try:
            wait()
        except _NOT_THERE:
            failed.add(backend)
    return {i for i, backends in owners.items() if not backends & failed}
