"""Checkpoints of several devices made one: their files with data get other names, their indices are joined."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from twinflow._src.checkpoint.bundle import Bundle, index_name
from twinflow._src.checkpoint.entries import Entry
from twinflow._src.checkpoint.shards import shard_name
from twinflow._src.checkpoint.writer import Save, joined, remove_data
from twinflow._src.core.errors import invalid
from twinflow._src.io.local_files import explained, local


def merge(
    prefixes: Sequence[str],
    destination: str,
    delete_old_dirs: bool = True,
    allow_missing_files: bool = False,
    durable: bool = True,
) -> None:
    """Makes one checkpoint of several, which are no more afterwards.

    Args:
        prefixes: What the names of their files begin with.
        destination: What the names of the new one's begin with.
        delete_old_dirs: Whether the directories that they were in are removed where nothing is left there.
        allow_missing_files: Whether some of them may not be there.
        durable: Whether to wait until the disk has everything.

    Raises:
        InvalidArgumentError: One of them is not there, or a tensor is in two of them.
        DataLossError: One of them is damaged.
    """
    found = [prefix for prefix in prefixes if _is_there(prefix, allow_missing_files)]
    if not found:
        raise invalid("At least one prefix checkpoint file must exist, but none existed.")
    entries: dict[bytes, Entry] = {}
    paths: list[str] = []
    for prefix in found:
        bundle = Bundle(prefix)
        _add(entries, bundle, len(paths), prefix)
        paths += [local(shard_name(prefix, i, bundle.count)) for i in range(bundle.count)]
    with explained(destination) as place, Save(place, durable) as save:
        save.adopt(paths)
        save.commit(entries)
    for prefix in found:
        if os.path.abspath(local(prefix)) != os.path.abspath(local(destination)):
            _clear(local(prefix), delete_old_dirs)


def _is_there(prefix: str, may_be_missing: bool) -> bool:
    there = os.path.exists(local(index_name(prefix)))
    if not (there or may_be_missing):
        raise invalid(
            f"allow_missing_files was set to false and {prefix} did not exist.NOT_FOUND: {prefix} not found"
        )
    return there


def _add(entries: dict[bytes, Entry], bundle: Bundle, before: int, prefix: str) -> None:
    """Adds the entries of a checkpoint whose files with data come after so many others."""
    for key, entry in bundle.stored():
        other = entries.get(key)
        if other is not None and not (other.parts and entry.parts):
            raise invalid(
                f"Duplicate tensor keyed by {entry.key} encountered, when merging prefix: {prefix}"
            )
        moved = entry if entry.parts else replace(entry, shard=entry.shard + before)
        entries[key] = moved if other is None else joined(other, moved)


def _clear(prefix: str, with_folder: bool) -> None:
    """Removes the index of a checkpoint, and the names that its data had before they got others."""
    os.unlink(index_name(prefix))
    remove_data(prefix)
    if with_folder:
        with suppress(OSError):  # something else is in it
            os.rmdir(os.path.dirname(prefix))
