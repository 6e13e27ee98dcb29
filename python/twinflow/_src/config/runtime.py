"""Runtime settings, optimizer options and numerics checks of ``tf.config`` and ``tf.debugging``.

Most settings have no effect and are only stored and returned: ops run synchronously and in order,
are deterministic, and use full precision unless TensorFloat-32 is enabled. There is no graph
optimizer and no XLA; the options of ``tf.config.optimizer`` are kept for programs that read them.
"""

from __future__ import annotations

import contextlib
import os
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

from twinflow._src.backends.gpu import device as gpu
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.devices import Device, DeviceSpecV2
from twinflow._src.core.dtypes import REALS
from twinflow._src.core.errors import NotFoundError, invalid
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import export
from twinflow._src.dispatch.registry import Op

# Settings without effect; stored and returned.


_POLICIES = ("explicit", "warn", "silent", "silent_for_int32")
_kept: dict[str, Any] = {"filtering": True, "shortened": False}


@export("config.experimental.tensor_float_32_execution_enabled")
def tensor_float_32_execution_enabled() -> bool:
    """Returns True if float32 matrix products may use TensorFloat-32."""
    return _kept["shortened"]


@export("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Enables or disables TensorFloat-32 for float32 matrix products on GPUs that support it.

    Disabled by default, so that results agree across devices as far as possible.

    Args:
        enabled: True to enable it.

    Raises:
        TypeError: ``enabled`` is not a boolean.
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
    """Enables determinism of ops; no effect on values, ops are always deterministic."""
    _kept["deterministic"] = True


def disable_op_determinism() -> None:
    """Withdraws the request for deterministic ops, which stay deterministic."""
    _kept["deterministic"] = False


def is_op_determinism_enabled() -> bool:
    """Returns True if deterministic ops were requested."""
    return bool(_kept.get("deterministic"))


@export("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """Returns True: execution is always synchronous."""
    return True


@export("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable: bool) -> None:
    """Sets synchronous execution; no effect, execution is always synchronous.

    Args:
        enable: Accepted and without effect.
    """


@export("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """Returns the device policy, ``"silent"``: inputs on another device are copied."""
    return "silent"


@export("config.experimental.set_device_policy")
def set_device_policy(device_policy: str | None) -> None:
    """Validates a device policy; no effect, inputs on another device are always copied.

    Args:
        device_policy: ``"explicit"``, ``"warn"``, ``"silent"``, ``"silent_for_int32"`` or None.

    Raises:
        ValueError: The policy is not one of these.
    """
    if device_policy is not None and device_policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. Please refer to "
            "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy for valid "
            "`device_policy` arguments."
        )


def _find_device(name: str) -> Device:
    """Returns the device of a name that has a device type and index."""
    try:
        spec = DeviceSpecV2.from_string(name)
    except ValueError:
        spec = DeviceSpecV2()
    if spec.device_type is None or spec.device_index is None:
        raise ValueError(
            f"Failed parsing device name: '{name}'. Note a valid device string should at least contain a "
            'device type and a device index, like "GPU:0".'
        )
    suffix = f":{spec.device_type}:{spec.device_index}"
    for device in runtime.devices:
        if device.name.endswith(suffix):
            return device
    raise ValueError(f"No matching devices found for '{name}'")


@export("config.experimental.get_memory_info")
def get_memory_info(device: str) -> dict[str, int]:
    """Returns the current and peak memory usage of a device.

    For the CPU, it is the memory of the process, shared by all libraries in it.

    Args:
        device: The name of the device, such as ``"GPU:0"``.

    Returns:
        A dictionary with ``"current"`` and ``"peak"``, in bytes.

    Raises:
        ValueError: There is no such device, or it has no allocator statistics.
    """
    target = _find_device(device)
    numbers = target.backend.memory(target.ordinal)
    if numbers is None:
        raise ValueError(f"Allocator stats not available for device '{device}'")
    return dict(zip(("current", "peak"), numbers))


@export("config.experimental.get_memory_usage")
def get_memory_usage(device: str) -> int:
    """Returns the memory usage of a device, in bytes.

    Args:
        device: The name of the device, such as ``"GPU:0"``.

    Raises:
        ValueError: There is no such device, or it has no allocator statistics.
    """
    return get_memory_info(device)["current"]


@export("config.experimental.reset_memory_stats")
def reset_memory_stats(device: str) -> None:
    """Resets the peak memory usage of a device and releases cached, unused memory.

    Args:
        device: The name of the device, such as ``"GPU:0"``.

    Raises:
        ValueError: There is no such device.
    """
    target = _find_device(device)
    target.backend.forget_peak(target.ordinal)


@export("test.experimental.sync_devices")
def sync_devices() -> None:
    """Synchronizes all devices: waits for pending work.

    Raises:
        RuntimeError: The call is inside a graph.
    """
    if thread.scope.graph is not None:
        raise RuntimeError("sync_devices() must only be called in Eager mode, outside tf.functions")
    for device in runtime.devices:
        device.backend.synchronize(device.ordinal)


@export("config.experimental.enable_mlir_bridge", "config.experimental.disable_mlir_bridge")
def set_mlir_bridge() -> None:
    """Enables or disables the MLIR bridge; no effect, there is none."""


@export("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Returns the setting of traceback filtering; tracebacks are never filtered."""
    return _kept["filtering"]


@export("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Enables traceback filtering; the setting is stored, tracebacks are never filtered."""
    _kept["filtering"] = True


@export("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Disables traceback filtering."""
    _kept["filtering"] = False


@export("test.is_built_with_rocm")
def is_built_with_rocm() -> bool:
    """Returns False: there is no support for ROCm."""
    return False


@export("test.is_built_with_xla")
def is_built_with_xla() -> bool:
    """Returns True: functions accept ``jit_compile`` (see ``tf.function``)."""
    return True


@export("sysconfig.get_build_info")
def get_build_info() -> OrderedDict[str, Any]:
    """Returns the build configuration: a pure Python package without CUDA, ROCm or TensorRT builds."""
    return OrderedDict(is_cuda_build=False, is_rocm_build=False, is_tensorrt_build=False)


@export("sysconfig.get_lib")
def get_lib() -> str:
    """Returns the directory of the package."""
    return os.path.dirname(os.path.abspath(__file__))


# ``tf.config.optimizer``: stored JIT setting and optimizer options.


_jit: list[str] = [""]
_options: dict[str, Any] = {}
_ALWAYS = {"disable_model_pruning": False, "disable_meta_optimizer": False}


@export("config.optimizer.get_jit")
def get_jit() -> str:
    """Returns the JIT setting: ``"autoclustering"`` or an empty string."""
    return _jit[0]


@export("config.optimizer.set_jit")
def set_jit(enabled: Any) -> None:
    """Sets the JIT setting; no effect on execution.

    Args:
        enabled: ``"autoclustering"`` or True; anything else disables it.
    """
    _jit[0] = "autoclustering" if enabled in (True, "autoclustering") else ""


@export("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict[str, Any]:
    """Returns the optimizer options: those set, and those with fixed values."""
    return _options | _ALWAYS


@export("config.optimizer.set_experimental_options")
def set_experimental_options(options: dict[str, Any]) -> None:
    """Sets options of the graph optimizer; no effect on execution.

    Args:
        options: Values by name.
    """
    _options.update(options)


# Numerics checks: detection of inf and NaN in results.


_KINDS = (("-Inf", np.isneginf), ("+Inf", np.isposinf), ("NaN", np.isnan))


class _Checker:
    """Observer that checks results of ops for inf and NaN."""

    def record(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], result: Any) -> None:
        """Raises InvalidArgumentError if a result is not finite; called by the runtime."""
        outputs = result if isinstance(result, list) else [result]
        for i, output in enumerate(outputs):
            if type(output) is EagerTensor and output.dtype in REALS and not op.moves:
                counts = _counts(output)
                if counts:
                    raise invalid(
                        _format_numerics_error(op, inputs, output, i, len(outputs), counts)
                    )

    def accessed(self, variable: Any) -> None:
        """Does nothing: a value is checked when an op produces it."""


def _counts(tensor: EagerTensor) -> dict[str, int]:
    array = tensor._host().astype(np.float64)
    if np.isfinite(array).all():
        return {}
    counts = {kind: int(np.count_nonzero(holds(array))) for kind, holds in _KINDS}
    return {kind: count for kind, count in counts.items() if count}


def _format_numerics_error(
    op: Op, inputs: Any, output: EagerTensor, index: int, outputs: int, counts: dict[str, int]
) -> str:
    several = f" ({len(inputs)})" if len(inputs) > 1 else ""
    parts = (
        [f"         {i}: {x!s}" for i, x in enumerate(inputs)]
        if several
        else [f" {x!s}" for x in inputs]
    )
    texts = (
        f"  Input tensor{'s' * bool(several)}{several}:"
        + ("\n" if several else "")
        + "\n".join(parts)
    )
    lines = [
        f"  # of {'+' * (kind == 'NaN')}{kind} elements: {count}" for kind, count in counts.items()
    ]
    kinds = list(counts)
    listed = " and ".join(kinds) if len(kinds) < 3 else f"{kinds[0]}, {kinds[1]}, and {kinds[2]}"
    return "\n".join(
        [
            f'\n\n!!! Detected Infinity or NaN in output {index} of eagerly-executing op "{op.type}" '
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
    """Enables numerics checks in this thread: ops whose results contain inf or NaN raise an error.

    Functions run op by op while checks are enabled.

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
    """Disables the checks of ``tf.debugging.enable_check_numerics``.

    Returns:
        None.
    """
    scope = thread.scope
    thread.scope = scope.watched(*(o for o in scope.observers if o is not _checker))


# ------------------------------------------------------------------ executors of eager operations


_EXECUTORS = ("DEFAULT", "", "SINGLE_THREADED_EXECUTOR")


@export("experimental.async_scope")
@contextlib.contextmanager
def async_scope() -> Iterator[None]:
    """Returns a context manager for operations that may run later; here they run at once."""
    yield


@export("experimental.async_clear_error")
def async_clear_error() -> None:
    """Clears errors of operations that run later; here there are none."""


@export("experimental.function_executor_type")
@contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """Returns a context manager for the executor of functions; all executors are the same one here.

    Args:
        executor_type: The name of the executor; None for the default.

    Raises:
        NotFoundError: There is no such executor.
    """
    if (executor_type or "") not in _EXECUTORS:
        raise NotFoundError(
            None,
            None,
            f"No executor factory registered for the given executor type: {executor_type} "
            f"Registered factories are {{{', '.join(_EXECUTORS)}}}.",
        )
    yield


@export("experimental.enable_strict_mode")
def enable_strict_mode() -> None:
    """Does nothing: names that TensorFlow advises against stay available."""
