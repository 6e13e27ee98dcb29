"""Random order of datasets: seeds, words of a stream, the shuffle buffer, drawn categories.

The order is TensorFlow's, bit for bit. A kernel draws 32-bit words, one after the other, from the
Philox stream of its two seeds. The seeds of an iterator come from a seed generator that belongs to
the dataset: iterators and epochs take them in order of their creation.
"""

from __future__ import annotations

import bisect
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

from twinflow._src.random.categorical import cumulative_weights
from twinflow._src.random.philox import Stream, block, words
from twinflow._src.random.seeds import scrambled, seeds

_MOST_SEED = 2**31 - 1
# Words computed at a time: few at first, since most streams end early.
_FEWEST, _MOST = 32, 1024
# Epochs in the buffer of a shuffle that repeats, besides the one that is read.
_EPOCHS = 3

Seeds = tuple[int, int]
Element = TypeVar("Element")


def seed_pair(seed: Any) -> Seeds:
    """Returns the two seeds of a random dataset, by the rules of ``tf.random.set_seed``."""
    first, second = seeds.of_op(seed)
    return (0, _MOST_SEED) if seed is not None and first == second == 0 else (first, second)


class Words:
    """Sequential reader of the 32-bit words of the stream of two seeds.

    Args:
        pair: The seeds; two zeros draw random ones.
        position: The number of words to skip.

    Attributes:
        pair: The seeds, after drawing.
        position: The number of words read.
    """

    __slots__ = ("_block", "_end", "_stream", "pair", "position")

    def __init__(self, pair: Seeds, position: int = 0) -> None:
        if pair == (0, 0):
            pair = (_any_seed(), _any_seed())
        self.pair, self.position = pair, position
        self._stream = Stream(pair[0], (pair[1] & (2**64 - 1)) << 64)
        self._block: list[int] = []
        self._end = position

    def next(self) -> int:
        """Returns the next word."""
        offset = self.position - self._end
        if offset >= 0:
            offset = self._compute()
        self.position += 1
        return self._block[offset]

    def _compute(self) -> int:
        """Computes the block of words that contains the position, and returns the offset from its end."""
        start = self.position // 4 * 4
        count = min(max(_FEWEST, 2 * len(self._block)), _MOST)
        self._block = words(np, self._stream.skip(start // 4), count).tolist()
        self._end = start + count
        return self.position - self._end


def _any_seed() -> int:
    return int.from_bytes(os.urandom(8), "little")


class SeedGenerator:
    """Generator of the seeds of the iterators of a dataset.

    Args:
        pair: The seeds of the dataset; two zeros draw random ones.
        is_fixed: True to return those for each iterator, False to derive different ones.
    """

    def __init__(self, pair: Seeds, is_fixed: bool) -> None:
        self.is_fixed = is_fixed
        self._words = Words(pair)
        self._lock = threading.Lock()

    def next(self) -> Seeds:
        """Returns the seeds of the next iterator or epoch."""
        if self.is_fixed:
            return self._words.pair
        with self._lock:
            return self._words.next(), self._words.next()

    @property
    def state(self) -> tuple[Seeds, int]:
        """The seeds of the dataset and the number of words read, as saved in checkpoints."""
        return self._words.pair, self._words.position

    @state.setter
    def state(self, state: tuple[Seeds, int]) -> None:
        self._words = Words(*state)


class _Epoch:
    """Range of buffer positions that hold the elements of one epoch."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end


class ShuffleBuffer(Generic[Element]):
    """Iterator of the elements of an input in random order.

    The buffer is a ring. The elements of an epoch take consecutive positions; a drawn element
    leaves a hole, which the first element of the epoch fills. Elements of the following epochs are
    read ahead while there are free positions, and are drawn when the epoch is exhausted.

    Args:
        make_input: A function that returns an iterator of the input, called once an epoch.
        size: The number of positions.
        generator: The seed generator of the dataset.
        epochs: The number of epochs; -1 for any number, until one is empty.
    """

    def __init__(
        self,
        make_input: Callable[[], Iterator[Element]],
        size: int,
        generator: SeedGenerator,
        epochs: int = 1,
    ) -> None:
        self._make_input, self._size, self._generator = make_input, size, generator
        self._epochs_left = epochs
        self._input: Iterator[Element] | None = None
        self._ring: list[Any] = []
        self._slices: deque[_Epoch] = deque()
        self._count = 0
        self._words = Words(generator.next())
        self._is_productive = False

    def __iter__(self) -> Iterator[Element]:
        return self

    def __next__(self) -> Element:
        self._fill()
        if not self._count:
            raise StopIteration
        while (epoch := self._slices[0]).start == epoch.end:
            self._slices.popleft()
            self._words = Words(self._generator.next())
        ring, start = self._ring, epoch.start
        index = (start + self._words.next() % (epoch.end - start)) % self._size
        element = ring[index]
        first = start % self._size
        ring[index], ring[first] = ring[first], None
        epoch.start = start + 1
        self._count -= 1
        return element

    def pull(self, count: int) -> list[Element]:
        """Returns the next elements, fewer than ``count`` at the end."""
        advance, elements = self.__next__, []
        try:
            for _ in range(count):
                elements.append(advance())
        except StopIteration:
            pass
        return elements

    # ---------------------------------------------------------------- positions
    def save(self, position: Any) -> dict[str, Any]:
        """Returns the state: the position of the input, the random state, and the elements."""
        return {
            "input": None if self._input is None else position,
            "pair": list(self._words.pair),
            "words": self._words.position,
            "generator": [*self._generator.state[0], self._generator.state[1]],
            "epochs": [[epoch.start, epoch.end] for epoch in self._slices],
            "epochs_left": self._epochs_left,
            "is_productive": self._is_productive,
            "count": self._count,
            "ring": list(self._ring),
        }

    def restore(
        self, saved: dict[str, Any], open_input: Callable[[Any], Iterator[Element]]
    ) -> None:
        """Restores a state that ``save`` returned; ``open_input`` opens the input at a position."""
        self._input = None if saved["input"] is None else open_input(saved["input"])
        self._words = Words((int(saved["pair"][0]), int(saved["pair"][1])), int(saved["words"]))
        first, second, position = map(int, saved["generator"])
        self._generator.state = (first, second), position
        self._slices = deque(_Epoch(int(start), int(end)) for start, end in saved["epochs"])
        self._epochs_left = int(saved["epochs_left"])
        self._is_productive = bool(saved["is_productive"])
        self._count, self._ring = int(saved["count"]), list(saved["ring"])

    def _fill(self) -> None:
        """Reads elements of the input until the buffer is full."""
        while self._count < self._size:
            if self._input is None:
                if not self._epochs_left or (len(self._slices) > _EPOCHS and self._count):
                    return
                end = self._slices[-1].end if self._slices else 0
                self._slices.append(_Epoch(end, end))
                self._input = self._make_input()
                self._epochs_left -= 1
                self._is_productive = False
            try:
                element = next(self._input)
            except StopIteration:
                self._input = None
                if self._epochs_left < 0 and not self._is_productive:
                    self._epochs_left = 0
                continue
            self._is_productive = True
            self._append(element)

    def _append(self, element: Element) -> None:
        epoch, ring = self._slices[-1], self._ring
        if epoch.end < self._size and epoch.end == len(ring):
            ring.append(element)  # grows up to the size: large sizes cost nothing
        else:
            ring[epoch.end % self._size] = element
        epoch.end += 1
        self._count += 1


class Categories:
    """Distribution of categories, as ``tf.random.stateless_categorical`` samples it.

    Args:
        logits: The logarithms of the weights: a vector.
    """

    def __init__(self, logits: Any) -> None:
        self._sums = cumulative_weights(np, np.asarray(logits)[None])[0].tolist()

    def sample(self, pair: Seeds) -> int:
        """Returns the category that two seeds draw."""
        first, second, *_ = block(scrambled(pair), 0)
        number = ((first & 0xFFFFF) << 32 | second) / (1 << 52)
        return bisect.bisect_right(self._sums, number * self._sums[-1])
