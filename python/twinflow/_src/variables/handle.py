"""Storage of variables: borrowed by reads; updated in place or rebound by writes.

A read returns the array itself, without a copy or a lock. A write takes the lock, detaches the
array so that no reader can borrow it meanwhile, and checks its reference count: an unshared array
is updated in place, a shared one stays with its borrowers and a new array is bound (copy on write).
Code that runs during a write in the writing thread (a signal handler that saves variables, a
finalizer) gets a copy, and may not write. This is safe because an array that a variable holds owns
its memory (its ``base`` is None): every view, memoryview or DLPack capsule of it holds a reference
to that array.

``HandleTensor`` is the public view of a handle: a scalar tensor of dtype ``resource``.
"""

from __future__ import annotations

import itertools
import sys
import threading
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, cast

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes, errors
from twinflow._src.core.context import entered, runtime, thread
from twinflow._src.core.devices import Device, copied
from twinflow._src.core.dtypes import DType, resource
from twinflow._src.core.errors import invalid
from twinflow._src.core.fork import around_forks, is_own, wait_until
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import OPS

# Handles.


_counter = itertools.count()
_handles: weakref.WeakSet[Handle] = weakref.WeakSet()

# The reference counts by which ``update``, ``assign`` and ``update_together`` recognize an unshared
# array; -1 where reference counts cannot be used. See ``_calibrated``.
_IN_UPDATE = _IN_ASSIGN = _TOGETHER = -1


class Handle:
    """The resource behind one or more variable objects.

    Attributes:
        array: The value; None during a write, or where there is no value.
        device: The device of the value.
        value_dtype: The dtype of the value.
        name: The variable's name, for messages.
        taken: The array during a write, else None.
        uid: An integer that is unique among the handles of the process.
    """

    __slots__ = ("__weakref__", "array", "device", "lock", "name", "taken", "uid", "value_dtype")

    def __init__(self, array: Any, device: Device, dtype: DType, name: str) -> None:
        self.array, self.device, self.value_dtype, self.name = array, device, dtype, name
        self.lock = threading.RLock()
        self.taken: Any = None
        self.uid = next(_counter)
        _handles.add(self)

    @property
    def dtype(self) -> DType:
        """The dtype of the handle itself, ``resource``."""
        return resource

    def __del__(self) -> None:
        if runtime is not None and runtime.log_placement:  # None while the interpreter shuts down
            runtime.log("DestroyResourceOp", self.device)

    def __repr__(self) -> str:
        return f'<ResourceHandle(name="{self.name}/{self.uid}", device="{self.device.name}")>'

    def has_value(self) -> bool:
        """True if the variable has a value, also during a write."""
        if self.array is not None or self.taken is not None:
            return True
        return self.array is not None  # a write ended between the two checks

    def lend(self) -> Any:
        """Returns the array, for reading; a copy of it during a write of this thread."""
        array = self.array
        if array is None:
            with self.lock:  # wait for the write of another thread
                array = self.array if self.taken is None else self.taken.copy()
            if array is None:
                raise self._missing()
        return array

    def update(self, write: Callable[[Any, Any], Any]) -> None:
        """Replaces the value by the result of ``write``.

        It takes the current array and the output array: the same one if it is unshared, else a new
        one. It must raise before it writes, if at all.
        """
        with self.lock:
            if self.taken is not None:
                raise self._amid_a_write()
            array = self.taken = self.array
            try:
                self.array = None
                unshared = _references(array) == _IN_UPDATE
                self.array = write(array, array if unshared else self.device.xp.empty_like(array))
            except BaseException:
                self.array = array
                raise
            finally:
                self.taken = None

    def assign(self, value: Any) -> None:
        """Copies ``value`` into the variable: in place if it is unshared and of the same shape."""
        with self.lock:
            if self.taken is not None:
                raise self._amid_a_write()
            array = self.taken = self.array
            try:
                self.array = None
                if _references(array) == _IN_ASSIGN and array.shape == value.shape:
                    array[...] = value
                    self.array = array
                else:
                    self.array = value.copy()
            except BaseException:
                self.array = array
                raise
            finally:
                self.taken = None

    def _missing(self) -> errors.OpError:
        return errors.FailedPreconditionError(
            None,
            None,
            f"Could not find variable {self.name}. This could mean that the variable has been "
            "deleted. In TF1, it can also mean the variable is uninitialized.",
        )

    def _amid_a_write(self) -> Exception:
        return errors.UnavailableError(
            None,
            None,
            f"Variable {self.name} is being written by what was interrupted for this update.",
        )


def update_together(
    write: Callable[..., Sequence[Any]],
    handles: Sequence[Handle],
    args: Sequence[Any] = (),
    arrays: list[Any] | None = None,
    unshared: list[bool] | None = None,
) -> Sequence[Any]:
    """Replaces the values of several variables by the results of ``write``."""
    # ``write`` takes the current arrays, a list of booleans that are True for unshared arrays,
    # which it may overwrite, and ``args``. It returns the arrays that hold the results, and must
    # raise before it writes, if at all. ``arrays`` and ``unshared`` are those detached so far, in
    # recursive calls.
    if arrays is None or unshared is None:
        arrays, unshared = [], []
    position = len(arrays)
    handle = handles[position]
    with handle.lock:
        if handle.taken is not None:
            raise handle._amid_a_write()
        array = handle.taken = handle.array
        try:
            handle.array = None
            unshared.append(_references(array) == _TOGETHER)
            arrays.append(array)
            if len(arrays) == len(handles):
                results = write(arrays, unshared, *args)
            else:
                results = update_together(write, handles, args, arrays, unshared)
            handle.array = results[position]
        except BaseException:
            handle.array = array
            raise
        finally:
            handle.taken = None
    return results


def _exact() -> bool:
    """True if reference counts are exact: CPython with the GIL and without the JIT."""
    compiled = getattr(getattr(sys, "_jit", None), "is_enabled", lambda: False)
    locked = getattr(sys, "_is_gil_enabled", lambda: True)
    return (
        sys.implementation.name == "cpython"
        and "free-threading" not in sys.version
        and locked()
        and not compiled()
    )


counts_are_exact = _exact()


def _never(array: Any) -> int:
    return 0


_references = sys.getrefcount if counts_are_exact else _never


def _is_reused(change: Callable[[Handle], Any], is_shared: bool) -> bool:
    """True if an update writes into the existing array, with or without another reference to it."""
    handle = Handle.__new__(Handle)
    array = handle.array = np.zeros(1)
    handle.device, handle.lock, handle.taken = (
        cast(Any, types.SimpleNamespace(xp=np)),
        threading.RLock(),
        None,
    )
    before = id(array)
    if not is_shared:
        del array
    change(handle)
    return id(handle.array) == before


def _calibrated(name: str, change: Callable[[Handle], Any]) -> int:
    """Returns the reference count of an unshared array within one function, or -1."""
    # The count is measured in that very function, because it depends on how the interpreter passes
    # arguments: a local variable and an attribute hold the array, and possibly the argument of the
    # count. Where another count is found (a debugger holds local variables), every write binds a
    # new array.
    for count in (2, 3):
        globals()[name] = count
        if _is_reused(change, False) and not _is_reused(change, True):
            return count
    return -1


if counts_are_exact:
    _IN_UPDATE = _calibrated("_IN_UPDATE", lambda handle: handle.update(lambda array, out: out))
    _IN_ASSIGN = _calibrated("_IN_ASSIGN", lambda handle: handle.assign(np.ones(1)))
    _TOGETHER = _calibrated(
        "_TOGETHER",
        lambda handle: update_together(
            lambda arrays, unshared: arrays if unshared[0] else [arrays[0].copy()], [handle]
        ),
    )


# ------------------------------------------------------------------ forks


class _Fork(threading.local):
    """The values at a fork of this thread; the references make later writes bind new arrays."""

    values: Sequence[tuple[Handle, Any]] = ()


_fork = _Fork()


def _before_fork() -> None:
    _fork.values = [(handle, _find_stable_array(handle)) for handle in list(_handles)]


def _find_stable_array(handle: Handle) -> Any:
    """Returns an array that is no longer written to: the value, that before a write, or None."""
    while handle.has_value():
        array, taken = handle.array, handle.taken
        if array is not None:
            return array
        if taken is not None:
            return taken if is_own(handle.lock) or _ended(handle, taken) else None
    return None


def _ended(handle: Handle, taken: Any) -> bool:
    """Waits for the end of a write; the next write finds ``taken`` shared and spares it."""
    return wait_until(lambda: handle.array is not None or handle.taken is not taken)


def _after_fork() -> None:
    _fork.values = ()


def _in_child() -> None:
    for handle, array in _fork.values:
        if not is_own(handle.lock):
            handle.lock, handle.array, handle.taken = threading.RLock(), array, None
    _fork.values = ()


around_forks(_before_fork, _after_fork, _in_child)


# Handles as tensors.


class HandleTensor:
    """A handle as an argument of the functions in ``tf.raw_ops``."""

    __slots__ = ("resource", "value_shape")

    def __init__(self, resource: Handle, value_shape: TensorShape) -> None:
        self.resource, self.value_shape = resource, value_shape

    @property
    def dtype(self) -> DType:
        """The dtype of the handle itself, ``resource``."""
        return resource

    @property
    def shape(self) -> TensorShape:
        """The scalar shape."""
        return TensorShape([])

    def get_shape(self) -> TensorShape:
        """Returns the scalar shape."""
        return self.shape

    @property
    def ndim(self) -> int:
        """The rank, 0."""
        return 0

    @property
    def device(self) -> str:
        """The full name of the device that holds the value."""
        return self.resource.device.name

    backing_device = device

    def numpy(self) -> NoReturn:
        """Raises InvalidArgumentError: a resource has no NumPy value."""
        raise invalid("Cannot convert a Tensor of dtype resource to a NumPy array.")

    def __bool__(self) -> NoReturn:
        self.numpy()

    def __getattr__(self, name: str) -> Any:
        if name in ("name", "op", "graph"):
            raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape=(), dtype=resource, value={self._described()}>"

    def __str__(self) -> str:
        return f"tf.Tensor({self._described()}, shape=(), dtype=resource)"

    def _described(self) -> str:
        memory, shape = self.resource, self.value_shape
        dims = (
            None
            if shape.rank is None
            else ",".join("?" if n is None else str(n) for n in shape.as_list())
        )
        value = f"[ DType enum: {memory.value_dtype.as_datatype_enum}, Shape: {'<unknown>' if dims is None else f'[{dims}]'} ]"
        location = f'device="{self.device}", container="Anonymous", type="tensorflow::Var"'
        return f'<ResourceHandle(name="{memory.name}/{memory.uid}", {location}, dtype and shapes : "{value}")>'


# Initial values and the handles created for them.


NONE_GIVEN = (
    "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a `variable_def`. "
    "You provided neither."
)
BOTH_GIVEN = (
    "The variable_def and initial_value args to `tf.Variable` are mutually exclusive, but got both: variable_def={},\n"
    "initial_value={}"
)


def check_given(initial_value: Any, variable_def: Any) -> None:
    """Raises ValueError where there is no initial value, or a ``VariableDef`` outside a graph."""
    if initial_value is None and variable_def is None:
        raise ValueError(NONE_GIVEN)
    if variable_def is not None:
        raise ValueError(
            BOTH_GIVEN.format(variable_def, initial_value)
            if initial_value is not None
            else "A variable cannot be made of a `variable_def` outside a graph."
        )


def initial_tensor(value: Any, dtype: DType | None) -> EagerTensor:
    """Returns the initial value; within a function being traced, it is computed at once."""
    if thread.scope.observers:
        with entered(thread.scope.watched()):
            return initial_tensor(value, dtype)
    value = value() if callable(value) else value
    graph = thread.scope.graph
    if graph is None:
        return convert_to_tensor(value, dtype, name="initial_value")
    symbol = value if isinstance(value, EagerTensor) else convert_to_tensor(value, dtype)
    return graph.creates.value(symbol)


def full_name(name: str) -> str:
    """Returns a name within the current name scope; a trailing slash marks an absolute path."""
    return name[:-1] if name.endswith("/") else thread.scope.name + name


def created_handle(tensor: EagerTensor, name: str) -> Handle:
    """Returns a handle with a tensor's value on the device of the current scope."""
    # The value is a copy, or on a GPU shared memory that the first update copies on write.
    device = runtime.place(thread.scope.around)
    if device.remote:
        return device.backend.created(tensor, name)
    if tensor.dtype is dtypes.int32 or not device.backend.holds(tensor.dtype.np):
        device = device if device.kind == "CPU" else runtime.host
    runtime.log("VarHandleOp", device)
    array = tensor._array
    if (
        device.kind == "CPU" or tensor._device is not device or array.base is not None
    ):  # an array with a base could be written to through it
        array = copied(array, tensor._device, device, tensor.dtype)
    runtime.log(OPS["AssignVariableOp"].type, device)
    return Handle(array, device, tensor.dtype, name)
