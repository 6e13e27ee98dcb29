"""Settings of TensorFlow's runtime that have nothing to set here: they are kept and can be read again.

Operations run at once and in order, with the same result every time, and in full precision.

``tf.config.optimizer``: what programs ask of the compiler and the rewriter of graphs.

There is neither here: graphs run as they were traced. What is set can be read again.

Checks of what operations give for infinities and numbers that are none.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from typing import Any

import numpy as np

from twinflow._src.backends.gpu import device as gpu
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.device_spec import DeviceSpecV2
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import export
from twinflow._src.dispatch.registry import Op

# Settings of TensorFlow's runtime that have nothing to set here: they are kept and can be read
# again.


_POLICIES = ("explicit", "warn", "silent", "silent_for_int32")
_kept: dict[str, Any] = {"filtering": True, "shortened": False}


@export("config.experimental.tensor_float_32_execution_enabled")
def tensor_float_32_execution_enabled() -> bool:
    """Whether products of float32 matrices may be computed from shortened numbers."""
    return _kept["shortened"]


@export("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Says whether products of float32 matrices may be computed from shortened numbers, where a GPU can.

    At the start of a program they may not: a program gives the same on every device, as far as it can.

    Args:
        enabled: Whether they may.

    Raises:
        TypeError: It is not a boolean.
    """
    if not isinstance(enabled, bool):
        raise TypeError(
            "enable(): incompatible function arguments. The following argument types are supported:\n"
            f"    1. (arg0: bool) -> None\n\nInvoked with: {enabled!r}"
        )
    _kept["shortened"] = enabled
    if gpu.count():
        gpu.shorten_products(enabled)


@export("config.experimental.enable_op_determinism")
def enable_op_determinism() -> None:
    """Makes operations give the same result every time, as they do anyway."""


@export("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """Whether operations have run when the call returns: always."""
    return True


@export("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable: bool) -> None:
    """Says whether operations have run when the call returns; they always have.

    Args:
        enable: Whether they are to.
    """


@export("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """What happens where a tensor is on another device than the operation: it is copied."""
    return "silent"


@export("config.experimental.set_device_policy")
def set_device_policy(device_policy: str | None) -> None:
    """Says what is to happen where a tensor is on another device; it is copied in any case.

    Args:
        device_policy: ``"explicit"``, ``"warn"``, ``"silent"``, ``"silent_for_int32"`` or None.

    Raises:
        ValueError: It is another one.
    """
    if device_policy is not None and device_policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. Please refer to "
            "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy for valid "
            "`device_policy` arguments."
        )


def _found(name: str) -> Device:
    """The device of a name that tells its type and number."""
    try:
        spec = DeviceSpecV2.from_string(name)
    except ValueError:
        spec = DeviceSpecV2()
    if spec.device_type is None or spec.device_index is None:
        raise ValueError(
            f"Failed parsing device name: '{name}'. Note a valid device string should at least contain a "
            'device type and a device index, like "GPU:0".'
        )
    wanted = f":{spec.device_type}:{spec.device_index}"
    for device in runtime.devices:
        if device.name.endswith(wanted):
            return device
    raise ValueError(f"No matching devices found for '{name}'")


@export("config.experimental.get_memory_info")
def get_memory_info(device: str) -> dict[str, int]:
    """How much memory of a device is in use, and how much was held for it when somebody asked.

    A CPU's is that of the process, whose memory all libraries in it share.

    Args:
        device: The name of the device, such as ``"GPU:0"``.

    Returns:
        A dictionary with ``"current"`` and ``"peak"``, in bytes.

    Raises:
        ValueError: There is no such device, or it does not count.
    """
    found = _found(device)
    numbers = found.backend.memory(found.ordinal)
    if numbers is None:
        raise ValueError(f"Allocator stats not available for device '{device}'")
    return dict(zip(("current", "peak"), numbers))


@export("config.experimental.get_memory_usage")
def get_memory_usage(device: str) -> int:
    """How much memory of a device is in use, in bytes.

    Args:
        device: The name of the device, such as ``"GPU:0"``.

    Raises:
        ValueError: There is no such device, or it does not count.
    """
    return get_memory_info(device)["current"]


@export("config.experimental.reset_memory_stats")
def reset_memory_stats(device: str) -> None:
    """Forgets the peak of a device's memory, and gives back what is held and nobody uses.

    Args:
        device: The name of the device, such as ``"GPU:0"``.

    Raises:
        ValueError: There is no such device.
    """
    found = _found(device)
    found.backend.forget_peak(found.ordinal)


@export("test.experimental.sync_devices")
def sync_devices() -> None:
    """Waits until all devices have done what was asked of them.

    Raises:
        RuntimeError: A graph surrounds the call.
    """
    if thread.scope.graph is not None:
        raise RuntimeError("sync_devices() must only be called in Eager mode, outside tf.functions")
    for device in runtime.devices:
        device.backend.synchronize(device.ordinal)


@export("config.experimental.enable_mlir_bridge", "config.experimental.disable_mlir_bridge")
def set_mlir_bridge() -> None:
    """Says whether graphs go through a certain compiler; there is none here."""


@export("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """What was asked of tracebacks; they are always whole here."""
    return _kept["filtering"]


@export("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Asks for tracebacks without the library's own frames; they stay whole here."""
    _kept["filtering"] = True


@export("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Asks for whole tracebacks."""
    _kept["filtering"] = False


@export("test.is_built_with_rocm")
def is_built_with_rocm() -> bool:
    """Whether AMD's GPUs can be used: no."""
    return False


@export("test.is_built_with_xla")
def is_built_with_xla() -> bool:
    """Whether functions may ask to be compiled: they may; it has no effect."""
    return True


@export("sysconfig.get_build_info")
def get_build_info() -> OrderedDict[str, Any]:
    """What the package is built for: it has no parts that are."""
    return OrderedDict(is_cuda_build=False, is_rocm_build=False, is_tensorrt_build=False)


@export("sysconfig.get_lib")
def get_lib() -> str:
    """The folder of the package."""
    return os.path.dirname(os.path.abspath(__file__))


# ``tf.config.optimizer``: what programs ask of the compiler and the rewriter of graphs.


_jit: list[str] = [""]
_options: dict[str, Any] = {}
_ALWAYS = {"disable_model_pruning": False, "disable_meta_optimizer": False}


@export("config.optimizer.get_jit")
def get_jit() -> str:
    """What is to be compiled: ``"autoclustering"``, or nothing."""
    return _jit[0]


@export("config.optimizer.set_jit")
def set_jit(enabled: Any) -> None:
    """Sets what is to be compiled.

    Args:
        enabled: ``"autoclustering"`` or True for what can be, anything else for nothing.
    """
    _jit[0] = "autoclustering" if enabled in (True, "autoclustering") else ""


@export("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict[str, Any]:
    """The options of the rewriter that were set, and those that it always has."""
    return _options | _ALWAYS


@export("config.optimizer.set_experimental_options")
def set_experimental_options(options: dict[str, Any]) -> None:
    """Sets options of the rewriter.

    Args:
        options: Values by name.
    """
    _options.update(options)


# Checks of what operations give for infinities and numbers that are none.


# What only passes elements on, which somebody else has made.
_PASSING = {
    "Identity",
    "Concat",
    "ConcatV2",
    "ExpandDims",
    "Fill",
    "Gather",
    "Maximum",
    "Minimum",
    "Reshape",
    "Slice",
}
_PASSING |= {
    "Squeeze",
    "Stack",
    "StridedSlice",
    "StridedSliceGrad",
    "Transpose",
    "Unpack",
    "CheckNumerics",
}
_KINDS = (("-Inf", np.isneginf), ("+Inf", np.isposinf), ("NaN", np.isnan))


class _Checker:
    """An observer that looks at the results of operations."""

    def record(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], made: Any) -> None:
        """Raises InvalidArgumentError where a result is not finite; called by the runtime."""
        outputs = made if isinstance(made, list) else [made]
        for i, output in enumerate(outputs):
            if type(output) is EagerTensor and output.dtype in REALS and op.type not in _PASSING:
                counts = _counts(output)
                if counts:
                    raise invalid(_said(op, inputs, output, i, len(outputs), counts))

    def accessed(self, variable: Any) -> None:
        """Nothing: what is read is looked at when it is read."""


def _counts(tensor: EagerTensor) -> dict[str, int]:
    array = tensor._host().astype(np.float64)
    if np.isfinite(array).all():
        return {}
    found = {kind: int(np.count_nonzero(holds(array))) for kind, holds in _KINDS}
    return {kind: count for kind, count in found.items() if count}


def _said(
    op: Op, inputs: Any, output: EagerTensor, place: int, outputs: int, counts: dict[str, int]
) -> str:
    several = f" ({len(inputs)})" if len(inputs) > 1 else ""
    given = (
        [f"         {i}: {x!s}" for i, x in enumerate(inputs)]
        if several
        else [f" {x!s}" for x in inputs]
    )
    texts = (
        f"  Input tensor{'s' * bool(several)}{several}:"
        + ("\n" if several else "")
        + "\n".join(given)
    )
    lines = [
        f"  # of {'+' * (kind == 'NaN')}{kind} elements: {count}" for kind, count in counts.items()
    ]
    kinds = list(counts)
    listed = " and ".join(kinds) if len(kinds) < 3 else f"{kinds[0]}, {kinds[1]}, and {kinds[2]}"
    return "\n".join(
        [
            f'\n\n!!! Detected Infinity or NaN in output {place} of eagerly-executing op "{op.type}" '
            f"(# of outputs: {outputs}) !!!",
            f"  dtype: {output.dtype}",
            f"  shape: {output.shape}",
            *lines,
            f"\n{texts}\n\n : Tensor had {listed} values",
        ]
    )


_checker = _Checker()


@export("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Lets operations of this thread be refused whose results are infinite or no numbers, from now on.

    Functions run their operations one by one then.

    Args:
        stack_height_limit: Accepted and without effect.
        path_length_limit: Accepted and without effect.

    Returns:
        None.
    """
    scope = thread.scope
    if _checker not in scope.observers:
        thread.scope = scope.watched(*scope.observers, _checker)


@export("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Ends what ``tf.debugging.enable_check_numerics`` began.

    Returns:
        None.
    """
    scope = thread.scope
    thread.scope = scope.watched(*(o for o in scope.observers if o is not _checker))
