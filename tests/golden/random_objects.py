"""Programs made of random numbers, whose objects TensorFlow and twinflow save to the same bytes.

    python tests/golden/random_objects.py    records what TensorFlow writes; for a Python that has it

A program makes modules, containers and variables, some of them twice, changes and removes some, and saves them.
"""

from __future__ import annotations

import collections
import hashlib
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).resolve().parent / "tf_checkpoints" / "random_objects.json"
COUNT = 200
Pair = collections.namedtuple("Pair", "p q")
_NAMES = ["a", "b", "c.d", "e/f", "w", "layer"]


class _Maker:
    """Makes objects; remembers those that may come a second time."""

    def __init__(self, tf: Any, numbers: random.Random) -> None:
        self._tf, self._numbers = tf, numbers
        self._made: list[Any] = []

    def any(self, depth: int = 0) -> Any:
        """An object of any kind."""
        kinds: list[tuple[Callable[[int], Any], int]] = [
            (self._variable, 35), (self._again, 7), (self._list, 13), (self._dict, 10), (self._tuple, 5),
            (self._pair, 5), (self._ordered, 5), (self._module, 20),
        ]  # fmt: skip
        if depth > 3:
            return self._variable(depth)
        make = self._numbers.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[
            0
        ]
        return make(depth + 1)

    def _count(self, most: int) -> range:
        return range(self._numbers.randrange(most + 1))

    def _name(self) -> str:
        return self._numbers.choice(_NAMES)

    def _variable(self, _: int) -> Any:
        size = self._numbers.randrange(4)
        value = (
            np.arange(size, dtype=np.int32) if size else np.float32(self._numbers.randrange(100))
        )
        self._made.append(
            self._tf.Variable(value, name=self._numbers.choice(["x", "y/z", "Variable"]))
        )
        return self._made[-1]

    def _again(self, depth: int) -> Any:
        return self._numbers.choice(self._made) if self._made else self._variable(depth)

    def _list(self, depth: int) -> Any:
        return [
            self.any(depth)
            if self._numbers.random() < 0.8
            else self._numbers.choice([1, "s", None])
            for _ in self._count(3)
        ]

    def _dict(self, depth: int) -> Any:
        return {self._name(): self.any(depth) for _ in self._count(3)}

    def _tuple(self, depth: int) -> Any:
        return tuple([self.any(depth) for _ in self._count(2)] or [self.any(depth)])

    def _pair(self, depth: int) -> Any:
        return Pair(self.any(depth), self.any(depth))

    def _ordered(self, depth: int) -> Any:
        return collections.OrderedDict((self._name(), self.any(depth)) for _ in self._count(2))

    def _module(self, depth: int) -> Any:
        module = self._tf.Module()
        self._made.append(module)
        for _ in self._count(4):
            name, what = self._name().replace(".", "_").replace("/", "_"), self._numbers.random()
            if what < 0.8:
                setattr(module, name, self.any(depth))
            elif what < 0.85:
                setattr(module, name, 3)
            elif name in vars(module):
                self._change(module, name, depth)
        return module

    def _change(self, module: Any, name: str, depth: int) -> None:
        held = getattr(module, name)
        if isinstance(held, list):
            held.append(self.any(depth))
        elif isinstance(held, dict):
            held["new"] = self.any(depth)
        else:
            delattr(module, name)


def checkpoint(tf: Any, seed: int) -> Any:
    """The checkpoint of a program."""
    numbers = random.Random(seed)
    maker = _Maker(tf, numbers)
    named = {
        numbers.choice(["m", "n", "o", "k"]): maker.any() for _ in range(numbers.randrange(1, 5))
    }
    if numbers.random() < 0.7:
        return tf.train.Checkpoint(**named)
    root = tf.Module()
    root.v = maker.any()
    return tf.train.Checkpoint(root, **named)


def digests(tf: Any, seed: int, folder: str) -> list[str] | str:
    """The digests of the files that a program writes; the class of the error where it cannot be saved."""
    try:
        prefix = checkpoint(tf, seed).save(f"{folder}/{seed}")
    except ValueError as error:
        return type(error).__name__
    files = (
        Path(f"{prefix}{ending}").read_bytes() for ending in (".index", ".data-00000-of-00001")
    )
    return [hashlib.sha256(contents).hexdigest()[:16] for contents in files]


def main() -> None:
    """Records the digests."""
    import tensorflow as tf

    with tempfile.TemporaryDirectory() as folder:
        found = [digests(tf, seed, folder) for seed in range(COUNT)]
    FILE.write_text(json.dumps({"tensorflow": tf.__version__, "digests": found}, indent=0) + "\n")


if __name__ == "__main__":
    sys.exit(main())
