"""Collectives of arrays among processes: all-reduce, all-gather, broadcast, barrier.

Ranks of a host share memory: each writes what the others add, adds its local share of the elements for
all, in the order of the ranks, and reads the result where it lies. Between hosts the first ranks of
the hosts pass the elements around a ring. Small arrays travel with the messages by which ranks wait
for each other: up to the first rank of the host and the first of all, and down again. Every
collective has a number and a description, which the first rank compares.
"""

from __future__ import annotations

import atexit
import itertools
import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from twinflow._src.core import errors
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.errors import OpError
from twinflow._src.core.fork import around_forks
from twinflow._src.wings.distribute import messages
from twinflow._src.wings.distribute.arena import Arena, Views
from twinflow._src.wings.distribute.group_links import GroupLinks, Message
from twinflow._src.wings.distribute.messages import Reader, Writer, memory_limit

# Arrays of at most this size travel with the messages.
_SMALL_BYTES = 64 << 10
# Bytes of a block that is added while it is in the processor's cache, and of a ring's message.
_BLOCK_BYTES, _CHUNK_BYTES = 256 << 10, 1 << 20
# Shares of ranks are multiples of this number of elements.
_ALIGNMENT = 64
# How long the ranks wait for each other at the start.
JOIN_SECONDS = 300.0

Array = np.ndarray[Any, Any]


class Group:
    """The ranks of a cluster, which call the same collectives in the same order.

    Args:
        addresses: The addresses of the ranks.
        rank: The rank of this process.
        timeout: The time limit of a collective in seconds; None to wait as long as all ranks live.
        shares_memory: False to exchange messages also with ranks of the same host.
        join_timeout: How long to wait for all ranks.

    Raises:
        DeadlineExceededError: Not all ranks have come.
        UnavailableError: The address is in use.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        rank: int,
        timeout: float | None = None,
        shares_memory: bool = True,
        join_timeout: float = JOIN_SECONDS,
    ) -> None:
        self.rank, self.size = rank, len(addresses)
        self.timeout = timeout
        self._lock = threading.RLock()
        self._number = 0
        self._links = GroupLinks(addresses, rank, shares_memory)
        try:
            self._links.join(join_timeout)
        except BaseException:
            self._links.close()
            raise
        hosts = self._links.hosts
        self._host = next(host for host in hosts if rank in host)
        self._hosts = hosts
        self._leaders = [host[0] for host in hosts]
        self._parent = 0 if rank == self._host[0] else self._host[0]
        self._arena = Arena(memory_limit()) if len(self._host) > 1 else None
        self._announced: set[int] = set()
        self._views: dict[int, Views] = {}
        self._holders: dict[tuple[int, int], int] = {}  # of blocks of results, at the first rank
        self.barrier()

    @property
    def is_alive(self) -> bool:
        """True until a rank is lost, or the group is closed."""
        return self._links.failure is None and not self._links.is_closed

    @property
    def is_leader(self) -> bool:
        """True for the first rank of a host."""
        return self.rank == self._host[0]

    def fail(self, error: OpError) -> None:
        """Ends the group with an error, which all ranks raise."""
        self._links.fail(error)

    def close(self) -> None:
        """Leaves the group."""
        with self._lock:
            self._links.close()

    # ---------------------------------------------------------------- collectives
    def all_reduce(self, arrays: Sequence[Array], mean_of: int = 0) -> list[Array]:
        """Returns the sums of arrays over all ranks, divided by ``mean_of`` if that is not 0; read-only."""
        flat = [np.ascontiguousarray(a).reshape(-1) for a in arrays]
        shapes = [a.shape for a in arrays]
        dtype = flat[0].dtype
        operation = _describe("all-reduce (mean)" if mean_of else "all-reduce", dtype, shapes)
        total = sum(a.size for a in flat)
        if dtype.kind not in "iufc" and not _is_narrow(dtype):
            raise errors.InvalidArgumentError(
                None, None, f"Collective ops: {dtype.name} cannot be added."
            )
        with self._lock:
            number = self._next()
            if self.size == 1:
                whole = flat[0].copy() if len(flat) == 1 else np.concatenate(flat)
                return _split(_divide(whole, mean_of) if mean_of else whole, shapes)
            if total * dtype.itemsize <= _SMALL_BYTES:
                whole = flat[0] if len(flat) == 1 else np.concatenate(flat)
                return _split(self._reduce_small(number, operation, whole, mean_of), shapes)
            return _split(self._reduce_large(number, operation, flat, total, mean_of), shapes)

    def all_gather(self, array: Array, what: str = "all-gather") -> list[Array]:
        """Returns the arrays of all ranks, which must not be written; their shapes may differ."""
        array = np.ascontiguousarray(array)
        with self._lock:
            number = self._next()
            if self.size == 1:
                return [array]
            return self._gather(number, f"{what} of {array.dtype.name}", array)

    def broadcast(self, array: Array) -> Array:
        """Returns the array of the first rank to all, where it must not be written."""
        what = f"broadcast of the shape {list(array.shape)}"
        local = array if self.rank == 0 else np.empty(0, array.dtype)
        return self.all_gather(local, what)[0].reshape(array.shape)

    def barrier(self) -> None:
        """Waits for all ranks."""
        with self._lock:
            number = self._next()
            if self.size > 1:
                self._reduce_small(number, "barrier", np.zeros(0, np.uint8), 0)

    def _next(self) -> int:
        self._links.require()
        number, self._number = self._number, self._number + 1
        return number

    # ---------------------------------------------------------------- messages
    def _head(self, kind: int, number: int, operation: str = "") -> Any:
        head = self._links.head(kind, number)
        head.collective.operation = operation
        return head

    def _take(
        self, kind: int, number: int, ranks: Iterable[int], step: int = 0
    ) -> dict[int, Message]:
        """Waits for messages; a rank that waited in vain ends the group."""
        try:
            return self._links.take(kind, number, ranks, self.timeout, step)
        except errors.DeadlineExceededError as error:
            self._links.fail(error)
            raise

    @property
    def _children(self) -> list[int]:
        """For the first rank of a host, the others of the host."""
        return [r for r in self._host if r != self.rank] if self.is_leader else []

    @property
    def _others(self) -> list[int]:
        """For the first rank, the first ranks of other hosts."""
        return self._leaders[1:] if self.rank == 0 else []

    def _answer_all(self, head: Any, parts: Sequence[Any], ranks: Iterable[int]) -> None:
        for rank in ranks:
            self._links.send(rank, head, parts)

    @staticmethod
    def _check(head: Any) -> None:
        """Raises the error of a reply."""
        error = messages.read_error(head.status)
        if error is not None:
            raise error

    def _disagreement(self, operation: str, ready: dict[int, Message]) -> OpError | None:
        """Returns the error of ranks that have called other collectives."""
        for rank, (head, _) in sorted(ready.items()):
            if head.status.code:
                return messages.read_error(head.status)  # type: ignore[return-value]
            if head.collective.operation != operation:
                return errors.InvalidArgumentError(
                    None,
                    None,
                    f"Collective ops is aborted by: Mismatch in the collective instance "
                    f"{head.collective.number}: worker {self.rank} has called {operation}, but worker "
                    f"{rank} {head.collective.operation}. This is likely due to different input shapes "
                    "or types, or to another order of calls, at different members of the collective op.",
                )
        return None

    # ---------------------------------------------------------------- small all-reduce
    def _reduce_small(self, number: int, operation: str, local: Array, mean_of: int) -> Array:
        if not self.is_leader:
            head = self._head(messages.READY, number, operation)
            self._links.send(self._parent, head, [local.view(np.uint8)])
            return self._small_result(number, local.dtype)
        ready = self._take(messages.READY, number, self._children)
        error = self._disagreement(operation, ready)
        total = local
        if error is None:
            total = _add([local, *(_elements(ready[r], local.dtype) for r in self._children)])
        if self.rank:
            head = self._head(messages.READY, number, operation)
            if error is not None:
                messages.write_error(head.status, error)
            self._links.send(0, head, [total.view(np.uint8)])
            (go, parts) = self._take(messages.GO, number, [0])[0]
            self._answer_all(_copied(go, self.rank), parts[1:], self._children)
            self._check(go)
            return _elements((go, parts), local.dtype)
        ready = self._take(messages.READY, number, self._others)
        error = error or self._disagreement(operation, ready)
        head = self._head(messages.GO, number)
        if error is not None:
            messages.write_error(head.status, error)
            self._answer_all(head, (), [*self._children, *self._others])
            raise error
        total = _add([total, *(_elements(ready[r], local.dtype) for r in self._others)])
        if mean_of:
            total = _divide(total, mean_of)
        self._answer_all(head, [total.view(np.uint8)], [*self._children, *self._others])
        return total

    def _small_result(self, number: int, dtype: np.dtype[Any]) -> Array:
        message = self._take(messages.GO, number, [self._parent])[self._parent]
        self._check(message[0])
        return _elements(message, dtype)

    # ---------------------------------------------------------------- large all-reduce
    def _reduce_large(
        self, number: int, operation: str, flat: list[Array], total: int, mean_of: int
    ) -> Array:
        dtype, nbytes = flat[0].dtype, total * flat[0].dtype.itemsize
        local = self._head(messages.READY, number, operation)
        if self._arena is None:
            self._agree(number, local, 0)
            result = np.concatenate(flat)
            self._finish(number, lambda: self._ring_reduce(number, result, mean_of))
            return result
        ends = _shares(total, len(self._host))
        place = self._host.index(self.rank)
        staged = self._arena.reserve(nbytes)
        if staged is None:
            messages.write_error(local.status, _exhausted(nbytes))
        else:
            staging = self._arena.block(*staged, nbytes).view(dtype)
            for i, (start, end) in enumerate(itertools.pairwise(ends)):
                if i != place:
                    _copy_range(flat, start, end, staging)
            local.specs.add(segment=staged[0], offset=staged[1], length=nbytes)
        try:
            go = self._agree(number, local, nbytes)
            block = go.specs[0]
            result = self._views[self._host[0]].open(block.segment, block.offset, nbytes)
            result = result.view(dtype)
            others = [
                None if rank == self.rank else self._staging(rank, spec).view(dtype)
                for rank, spec in zip(self._host, go.specs[1:], strict=True)
            ]
            alone = mean_of if len(self._hosts) == 1 else 0
            _add_share(flat, others, result, ends[place], ends[place + 1], alone)
            self._finish(number, lambda: self._ring_reduce(number, result, mean_of))
        finally:
            if staged is not None:
                self._arena.release(*staged)
        return result

    def _staging(self, rank: int, spec: Any) -> Array:
        return self._views[rank].peek(spec.segment, spec.offset, spec.length)

    def _agree(self, number: int, local: Any, nbytes: int) -> Any:
        """Agrees with all ranks on a collective; returns the GO with the blocks of this host.

        Its specs are the block of the result, and those of the READYs of the host's ranks.
        """
        self._report(local)
        if not self.is_leader:
            self._links.send(self._parent, local)
            go = self._take(messages.GO, number, [self._parent])[self._parent][0]
            self._learn(go)
            self._check(go)
            return go
        ready = self._take(messages.READY, number, self._children)
        heads = [local, *(ready[rank][0] for rank in self._children)]
        for head in heads:
            self._learn(head)
        error = messages.read_error(local.status)
        error = error or self._disagreement(local.collective.operation, ready)
        error = self._agree_with_hosts(number, local.collective.operation, error)
        go = self._head(messages.GO, number)
        if error is None and self._arena is not None:
            self._allocate(go.specs.add(), nbytes)
            for head in heads:
                go.specs.extend(head.specs)
        self._forward(go, heads)
        if error is not None:
            messages.write_error(go.status, error)
        self._answer_all(go, (), self._children)
        self._check(go)
        return go

    def _agree_with_hosts(self, number: int, operation: str, error: Any) -> Any:
        """Compares the collective with those of other hosts; returns the error of all, or None."""
        head = self._head(messages.READY, number, operation)
        if self.rank:
            if error is not None:
                messages.write_error(head.status, error)
            self._links.send(0, head)
            return messages.read_error(self._take(messages.GO, number, [0])[0][0].status)
        if self._others:
            ready = self._take(messages.READY, number, self._others)
            error = error or self._disagreement(operation, ready)
            go = self._head(messages.GO, number)
            if error is not None:
                messages.write_error(go.status, error)
            self._answer_all(go, (), self._others)
        return error

    def _finish(self, number: int, ring: Callable[[], None]) -> None:
        """Waits until all ranks of the host have written, and passes the result around the ring."""
        if not self.is_leader:
            self._links.send(self._parent, self._head(messages.DONE, number))
            self._take(messages.RESULT, number, [self._parent])
            return
        self._take(messages.DONE, number, self._children)
        if len(self._hosts) > 1:
            ring()
        self._answer_all(self._head(messages.RESULT, number), (), self._children)

    # ---------------------------------------------------------------- shared memory
    def _allocate(self, spec: Any, nbytes: int) -> None:
        """Allocates the block of a result, which the ranks of the host release."""
        assert self._arena is not None
        block = self._arena.reserve(nbytes)
        if block is None:
            error = _exhausted(nbytes)
            self._links.fail(error)
            raise error
        self._holders[block] = len(self._host)
        spec.segment, spec.offset, spec.length = *block, nbytes

    def _report(self, head: Any) -> None:
        """Adds new segments, and blocks of results that are no longer in use, to a head."""
        if self._arena is None:
            return
        for segment, fd, size in self._arena.segments():
            if segment not in self._announced:
                self._announced.add(segment)
                owned = head.collective.segments.add(rank=self.rank).segment
                owned.number, owned.pid, owned.fd, owned.size = segment, os.getpid(), fd, size
        views = self._views.get(self._host[0])
        if views is not None:
            views.report(head)

    def _forward(self, go: Any, heads: Sequence[Any]) -> None:
        """Adds the new segments of all ranks of the host to a GO."""
        self._report(go)
        self._learn(go)
        for head in heads:
            go.collective.segments.extend(head.collective.segments)

    def _learn(self, head: Any) -> None:
        """Opens the segments that a head announces, and frees the blocks that it releases."""
        for owned in head.collective.segments:
            views = self._views.setdefault(owned.rank, Views())
            views.learn(messages.head_class()(segments=[owned.segment]))
        if not self.is_leader or self._arena is None:
            return
        for released in head.released:
            block = released.segment, released.offset
            self._holders[block] = self._holders.get(block, 0) - 1
            if self._holders[block] <= 0:
                del self._holders[block]
                self._arena.release(*block)
        del head.released[:]

    # ---------------------------------------------------------------- rings of hosts
    def _ring_reduce(self, number: int, whole: Array, mean_of: int) -> None:
        """Replaces the sums of this host by those of all hosts."""
        count = len(self._leaders)
        place = self._leaders.index(self.rank)
        parts = [whole[a:b] for a, b in itertools.pairwise(_shares(whole.size, count))]
        steps = itertools.count()
        for step in range(count - 1):
            sent, got = parts[(place - step) % count], parts[(place - step - 1) % count]
            self._pass_on(number, steps, sent, got, is_sum=True)
        if mean_of:
            _divide(parts[(place + 1) % count], mean_of, in_place=True)
        for step in range(count - 1):
            sent, got = parts[(place + 1 - step) % count], parts[(place - step) % count]
            self._pass_on(number, steps, sent, got, is_sum=False)

    def _ring_gather(self, number: int, parts: Sequence[Array]) -> None:
        """Fills the parts of the other hosts."""
        count = len(self._leaders)
        place = self._leaders.index(self.rank)
        steps = itertools.count()
        for step in range(count - 1):
            sent, got = parts[(place - step) % count], parts[(place - step - 1) % count]
            self._pass_on(number, steps, sent, got, is_sum=False)

    def _pass_on(
        self, number: int, steps: Iterator[int], sent: Array, got: Array, is_sum: bool
    ) -> None:
        """Sends a part to the next host, and receives another one from the former."""
        place, count = self._leaders.index(self.rank), len(self._leaders)
        following, former = self._leaders[(place + 1) % count], self._leaders[place - 1]
        size, first = _CHUNK_BYTES // sent.dtype.itemsize, next(steps) << 20
        for i, start in enumerate(range(0, sent.size, size)):
            head = self._head(messages.CHUNK, number)
            head.collective.step = first + i
            self._links.send(following, head, [sent[start : start + size].view(np.uint8)])
        for i, start in enumerate(range(0, got.size, size)):
            message = self._take(messages.CHUNK, number, [former], first + i)[former]
            chunk, target = _elements(message, got.dtype), got[start : start + size]
            if chunk.size != target.size:
                raise errors.InternalError(None, None, f"A chunk of {chunk.size} elements.")
            if is_sum:
                _add_to(target, chunk)
            else:
                target[:] = chunk

    # ---------------------------------------------------------------- all-gather
    def _gather(self, number: int, operation: str, local: Array) -> list[Array]:
        ready = self._head(messages.READY, number, operation)
        writer = Writer()
        if local.dtype == object or local.nbytes <= _SMALL_BYTES:
            writer.write(ready.specs.add(), local, as_dtype(local.dtype))
        else:
            ready.specs.add(
                dtype=as_dtype(local.dtype).as_datatype_enum, dims=local.shape, length=local.nbytes
            )
        go, parts = self._gather_specs(number, ready, writer.parts)
        reader = Reader(parts)
        if all(spec.place == messages.INLINE for spec in go.specs[: self.size]):
            return [reader.tensor(spec)[0] for spec in go.specs]
        return self._gather_large(number, go, local)

    def _gather_specs(self, number: int, local: Any, parts: list[Any]) -> Message:
        """Returns a message with the arrays of all ranks, or with their shapes."""
        if not self.is_leader:
            self._links.send(self._parent, local, parts)
            go, parts = self._take(messages.GO, number, [self._parent])[self._parent]
            self._check(go)
            return go, parts
        operation = local.collective.operation
        taken = self._take(messages.READY, number, self._children)
        error = self._disagreement(operation, taken)
        ready = {self.rank: (local, [b"", *parts]), **taken}
        up = self._head(messages.READY, number, operation)
        up_parts = _merge(up, [ready[rank] for rank in self._host])
        if self.rank:
            if error is not None:
                messages.write_error(up.status, error)
            self._links.send(0, up, up_parts)
            go, parts = self._take(messages.GO, number, [0])[0]
            self._answer_all(_copied(go, self.rank), parts[1:], self._children)
            self._check(go)
            return go, parts
        taken = self._take(messages.READY, number, self._others)
        error = error or self._disagreement(operation, taken)
        merged = self._head(messages.READY, number)
        hosts = {0: (up, [b"", *up_parts]), **taken}
        parts = _merge(merged, [hosts[leader] for leader in self._leaders])
        ranks = [rank for host in self._hosts for rank in host]
        go = self._head(messages.GO, number)
        go.specs.extend(merged.specs[ranks.index(rank)] for rank in range(self.size))
        if error is not None:
            messages.write_error(go.status, error)
        self._answer_all(go, parts, [*self._children, *self._others])
        self._check(go)
        return go, [b"", *parts]

    def _gather_large(self, number: int, go: Any, local: Array) -> list[Array]:
        """Writes the array of this rank to a block of the host, where all others will be."""
        offsets, total = [0] * self.size, 0
        ends = [0]
        for host in self._hosts:
            for rank in host:
                offsets[rank] = total
                total += -(-go.specs[rank].length // _ALIGNMENT) * _ALIGNMENT
            ends.append(total)
        if self._arena is None:
            whole = np.empty(total, np.uint8)
        else:
            ready = self._head(messages.READY, number, "blocks")
            block = self._agree_on_host(number, ready, total)
            whole = self._views[self._host[0]].open(block.segment, block.offset, total)
        start = offsets[self.rank]
        whole[start : start + local.nbytes] = local.reshape(-1).view(np.uint8)
        parts = [whole[a:b] for a, b in itertools.pairwise(ends)]
        self._finish(number, lambda: self._ring_gather(number, parts))
        return [
            whole[offset : offset + spec.length].view(local.dtype).reshape(tuple(spec.dims))
            for offset, spec in zip(offsets, go.specs, strict=True)
        ]

    def _agree_on_host(self, number: int, local: Any, nbytes: int) -> Any:
        """Returns the block of a result that all ranks of the host write."""
        local.collective.step = 1
        self._report(local)
        if not self.is_leader:
            self._links.send(self._parent, local)
            go = self._take(messages.GO, number, [self._parent], 1)[self._parent][0]
            self._learn(go)
            return go.specs[0]
        ready = self._take(messages.READY, number, self._children, 1)
        heads = [local, *(ready[rank][0] for rank in self._children)]
        for head in heads:
            self._learn(head)
        go = self._head(messages.GO, number)
        go.collective.step = 1
        self._allocate(go.specs.add(), nbytes)
        self._forward(go, heads)
        self._answer_all(go, (), self._children)
        return go.specs[0]


# ------------------------------------------------------------------ arrays


def _describe(operation: str, dtype: np.dtype[Any], shapes: Sequence[tuple[int, ...]]) -> str:
    return f"{operation} of {dtype.name} {', '.join(str(list(shape)) for shape in shapes)}"


def _elements(message: Message, dtype: np.dtype[Any]) -> Array:
    """Returns the elements in a message."""
    parts = message[1]
    if len(parts) < 2 or not len(parts[1]):
        return np.empty(0, dtype)
    return np.frombuffer(parts[1], dtype)


def _copied(head: Any, rank: int) -> Any:
    """Returns a head from another sender."""
    copy = type(head)()
    copy.CopyFrom(head)
    copy.collective.rank = rank
    return copy


def _merge(head: Any, ready: Sequence[Message]) -> list[Any]:
    """Copies the specs of messages to a head; returns their buffers, if all have theirs."""
    parts: list[Any] = []
    has_all = all(spec.place == messages.INLINE for one, _ in ready for spec in one.specs)
    for one, buffers in ready:
        for spec in one.specs:
            copy = head.specs.add()
            copy.CopyFrom(spec)
            copy.place = messages.INLINE if has_all else messages.ABSENT
            copy.part += len(parts)
        if has_all:
            parts += buffers[1:]
    return parts


def _split(whole: Array, shapes: Sequence[tuple[int, ...]]) -> list[Array]:
    """Cuts the elements of several arrays."""
    whole.flags.writeable = False
    ends = itertools.accumulate(map(math.prod, shapes), initial=0)
    return [whole[a:b].reshape(s) for (a, b), s in zip(itertools.pairwise(ends), shapes)]


def _shares(total: int, count: int) -> list[int]:
    """Returns the ends of equal shares of elements, from 0 on."""
    size = -(-total // (count * _ALIGNMENT)) * _ALIGNMENT
    return [min(i * size, total) for i in range(count + 1)]


def _pieces(flat: Sequence[Array], start: int, end: int) -> Iterator[tuple[int, Array]]:
    """Yields the arrays that hold some elements of a sequence of arrays, with their positions."""
    offset = 0
    for array in flat:
        a, b = max(start - offset, 0), min(end - offset, array.size)
        if a < b:
            yield offset + a, array[a:b]
        offset += array.size


def _copy_range(flat: Sequence[Array], start: int, end: int, target: Array) -> None:
    for position, piece in _pieces(flat, start, end):
        target[position : position + piece.size] = piece


def _add_share(
    flat: Sequence[Array],
    others: Sequence[Array | None],
    result: Array,
    start: int,
    end: int,
    mean_of: int,
) -> None:
    """Adds some elements of all ranks, in their order; ``None`` stands for this rank."""
    size = _BLOCK_BYTES // result.dtype.itemsize
    for position, piece in _pieces(flat, start, end):
        for a in range(0, piece.size, size):
            local = piece[a : a + size]
            first, last = position + a, position + a + local.size
            values = [local if other is None else other[first:last] for other in others]
            _add(values, result[first:last])
            if mean_of:
                _divide(result[first:last], mean_of, in_place=True)


def _is_narrow(dtype: np.dtype[Any]) -> bool:
    """True for float16 and bfloat16."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def _add(values: Sequence[Array], out: Array | None = None) -> Array:
    """Returns the sum of arrays in their order; those of 16 bits are added as float32."""
    if len(values) == 1:
        if out is None:
            return values[0]
        out[:] = values[0]
        return out
    if _is_narrow(values[0].dtype):
        total = values[0].astype(np.float32)
        for value in values[1:]:
            total += value.astype(np.float32)
        narrow = total.astype(values[0].dtype)
        if out is None:
            return narrow
        out[:] = narrow
        return out
    out = np.add(values[0], values[1], out=out)
    for value in values[2:]:
        np.add(out, value, out=out)
    return out


def _add_to(total: Array, value: Array) -> None:
    if _is_narrow(total.dtype):
        total[:] = total.astype(np.float32) + value.astype(np.float32)
    else:
        np.add(total, value, out=total)


def _divide(total: Array, count: int, in_place: bool = False) -> Array:
    out = total if in_place else None
    return np.divide(total, np.asarray(count, total.dtype), out=out)


def _exhausted(nbytes: int) -> OpError:
    return errors.ResourceExhaustedError(
        None, None, f"Out of shared memory: {nbytes} bytes for a collective."
    )


# ------------------------------------------------------------------ the groups of the process


_groups: dict[tuple[tuple[str, ...], int], Group] = {}


def group_of(
    addresses: Sequence[str], rank: int, timeout: float | None, shares_memory: bool
) -> Group:
    """Returns the group of a cluster; it is formed on the first call, and anew after a loss."""
    key = tuple(addresses), rank
    group = _groups.get(key)
    if group is None or not group.is_alive:
        if group is not None:
            group.close()
        group = _groups[key] = Group(addresses, rank, timeout, shares_memory)
    group.timeout = timeout
    return group


def current_group(addresses: Sequence[str], rank: int) -> Group | None:
    """Returns the group of a cluster if it was formed, else None."""
    return _groups.get((tuple(addresses), rank))


@atexit.register
def close_all() -> None:
    """Leaves all groups."""
    for group in _groups.values():
        group.close()
    _groups.clear()


around_forks(child=_groups.clear)
