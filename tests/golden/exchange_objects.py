"""Graphs of objects that TensorFlow and twinflow save for each other, made by the same programs.

    python tests/golden/exchange_objects.py write MODULE FOLDER    MODULE saves what the programs make
    python tests/golden/exchange_objects.py verify MODULE FOLDER   MODULE restores it, and trains on

MODULE is ``tensorflow`` or ``twinflow``. ``verify`` makes the objects again with other values, restores them with
``assert_consumed``, compares every variable with what was saved, then makes the next step of training and
compares that as well. `make oracle-files` runs both ways.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Pair = namedtuple("Pair", "left right")
Objects = dict[str, Any]


def _containers(tf: Any, first: float) -> Objects:
    v = lambda value: tf.Variable(np.float32(value) * first)
    module = tf.Module(name="m")
    module.w = tf.Variable([[1.0, 2.0]] * 2 * int(first) or [[0.0, 0.0]], shape=[None, 2], name="w")
    module.l = [v(1), "text", [v(2), (v(3), 4)], {"a/b": v(5), "c.d": v(6), "n": 7}]
    module.o = OrderedDict(z=v(8), a=v(9))
    module.p = Pair(v(10), [v(11)])
    module.inner = tf.Module(name="inner")
    module.inner.up = module  # a circle
    module.inner.same = module.l[0]
    module.f = tf.function(lambda x: x + module.o["z"])
    return {"m": module, "shared": module.p.left, "l": [module.inner, v(12)]}


def _types(tf: Any, first: float) -> Objects:
    names = "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128"
    numbers = np.arange(6).reshape(2, 3) * int(first)
    found = {
        name: tf.Variable(tf.cast(numbers, getattr(tf, name)), name=name) for name in names.split()
    }
    text = [["", "a" * 200], ["\u00e9", "\0"]] if first else [[""] * 2] * 2
    return found | {
        "string": tf.Variable(text),
        "scalar": tf.Variable(3.5 * first),
        "empty": tf.Variable(np.zeros((0, 3), np.float32)),
    }


def _generator(tf: Any, first: float) -> Objects:
    generators = [
        tf.random.Generator.from_seed(int(first) + 3, alg) for alg in ("philox", "threefry")
    ]
    generators[0].normal([int(first) * 5])
    return {"g": generators}


def _step(tf: Any, objects: Objects) -> None:
    for name, number in (("v", 0.5), ("u", -0.25)):
        gradient = tf.constant(
            np.linspace(-1, number, 6, dtype=np.float32).reshape(objects[name].shape)
        )
        objects.setdefault("_gradients", []).append((gradient, objects[name]))
    objects["opt"].apply_gradients(objects.pop("_gradients"))


def _trained(make: Callable[[Any], Any]) -> Callable[[Any, float], Objects]:
    """A program that trains two variables by an optimizer."""

    def program(tf: Any, first: float) -> Objects:
        values = np.arange(6, dtype=np.float32) * np.float32(first)
        objects = {
            "opt": make(tf),
            "v": tf.Variable(values, name="v"),
            "u": tf.Variable(values.reshape(2, 3), name="u"),
        }
        for _ in range(int(first) + 1):
            _step(tf, objects)
        return objects

    return program


def _keras(name: str, **options: Any) -> Callable[[Any, float], Objects]:
    return _trained(lambda tf: getattr(tf.keras.optimizers, name)(0.1, **options))


def _first(name: str, *arguments: Any) -> Callable[[Any, float], Objects]:
    return _trained(lambda tf: getattr(tf.compat.v1.train, f"{name}Optimizer")(0.1, *arguments))


_KERAS = "SGD Adam AdamW Adamax Nadam RMSprop Adagrad Adadelta Ftrl Lion"
_FIRST = "GradientDescent Adam Adagrad Adadelta RMSProp Ftrl"
PROGRAMS: dict[str, Callable[[Any, float], Objects]] = {
    "containers": _containers,
    "types": _types,
    "generator": _generator,
    **{name: _keras(name) for name in _KERAS.split()},
    "SGD momentum": _keras("SGD", momentum=0.9, nesterov=True),
    "Adam amsgrad": _keras("Adam", amsgrad=True, use_ema=True),
    "Adam accumulating": _keras("Adam", gradient_accumulation_steps=2),
    "RMSprop centered": _keras("RMSprop", momentum=0.5, centered=True),
    **{f"v1 {name}": _first(name) for name in _FIRST.split()},
    "v1 Momentum": _first("Momentum", 0.9),
}


# ------------------------------------------------------------------ what is compared


def _values(objects: Objects, tf: Any) -> dict[str, Any]:
    """The values of all variables, by the keys of a checkpoint, as they are written."""
    folder = Path(_scratch)
    path = tf.train.Checkpoint(**objects).write(str(folder / "values"))
    reader = tf.train.load_checkpoint(path)
    return {
        key: _plain(reader.get_tensor(key))
        for key in reader.get_variable_to_shape_map()
        if not key.startswith("_")
    }


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype == object:
        return [x.hex() for x in array.ravel().tolist()]
    return [str(array.dtype), list(array.shape), array.tobytes().hex()]


_scratch = ""


def write(tf: Any, folder: Path) -> None:
    """Saves what the programs make, and notes the values before and after one step more."""
    for name, program in PROGRAMS.items():
        objects = program(tf, 1.0)
        checkpoint = tf.train.Checkpoint(**objects)
        checkpoint.save(str(folder / name / "ckpt"))
        noted = [_values(objects, tf)]
        if "opt" in objects:
            _step(tf, objects)
            noted.append(_values(objects, tf))
        (folder / name / "values.json").write_text(json.dumps(noted))
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=tf.Variable(2.0)), str(folder / "manager"), 2
    )
    for _ in range(3):
        manager.save()


def verify(tf: Any, folder: Path) -> None:
    """Restores what the other has saved, and compares."""
    for name, program in PROGRAMS.items():
        objects = program(tf, 0.0)
        checkpoint = tf.train.Checkpoint(**objects)
        status = checkpoint.restore(tf.train.latest_checkpoint(str(folder / name)))
        status.assert_existing_objects_matched()
        status.assert_consumed()
        before, *after = json.loads((folder / name / "values.json").read_text())
        assert checkpoint.save_counter.numpy() == 1, name
        _assert_same(name, before, _values(objects, tf))
        for step in after:
            _step(tf, objects)
            _assert_close(name, step, _values(objects, tf))
        print(f"{name}: {len(before)} tensors")
    v = tf.Variable(0.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), str(folder / "manager"), 2)
    assert [Path(path).name for path in manager.checkpoints] == ["ckpt-2", "ckpt-3"], (
        manager.checkpoints
    )
    assert manager.restore_or_initialize() is not None
    assert (v.numpy(), Path(manager.save()).name) == (2.0, "ckpt-4")
    print("manager: goes on")


def _assert_same(name: str, theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    assert theirs.keys() == ours.keys(), (name, theirs.keys() ^ ours.keys())
    wrong = [key for key in theirs if theirs[key] != ours[key]]
    assert not wrong, f"{name}: {wrong}"


def _assert_close(name: str, theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    """Compares what was computed: floats may differ in the last digits, where sums are in another order."""
    assert theirs.keys() == ours.keys(), (name, theirs.keys() ^ ours.keys())
    for key, (dtype, shape, bits) in theirs.items():
        arrays = [
            np.frombuffer(bytes.fromhex(b), dtype).reshape(shape) for b in (bits, ours[key][2])
        ]
        np.testing.assert_allclose(*arrays, rtol=1e-5, atol=1e-7, err_msg=f"{name}: {key}")


def main(what: str, module: str, folder: str) -> None:
    """Does what the arguments say."""
    global _scratch
    import tempfile

    tf = importlib.import_module(module)
    with tempfile.TemporaryDirectory() as _scratch:
        {"write": write, "verify": verify}[what](tf, Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
