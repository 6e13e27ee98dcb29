"""Queries of the machine for tests: GPUs, CPU targets and test data."""

from __future__ import annotations

import os

from twinflow._src.config.devices import list_physical_devices
from twinflow._src.wings.test.case import get_temp_dir

_TARGETS = frozenset(
    ["aarch64", "arm", "arm64", "powerpc", "ppc", "ppc64le", "s390x", "x86", "x86-64", "x86_64"]
)


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Returns True if a GPU is available.

    Args:
        cuda_only: Accepted; all GPUs are CUDA devices.
        min_cuda_compute_capability: The minimum compute capability as (major, minor), or None.
    """
    found = list_physical_devices("GPU")
    if not found or min_cuda_compute_capability is None:
        return bool(found)
    from twinflow._src.dispatch.op import API

    details = [API["config.experimental.get_device_details"](device) for device in found]
    return any(
        d.get("compute_capability", (0, 0)) >= tuple(min_cuda_compute_capability) for d in details
    )


def is_cpu_target_available(target: str) -> bool:
    """Returns True for a CPU target that TensorFlow knows.

    Args:
        target: The name, such as ``"x86"``.

    Raises:
        AssertionError: The target is unknown.
    """
    if target not in _TARGETS:
        raise AssertionError(f"Unknown CPU target: {target}")
    return True


def test_src_dir_path(relative_path: str) -> str:
    """Returns the path of a file relative to the package."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), relative_path)


__all__ = ["get_temp_dir", "is_cpu_target_available", "is_gpu_available", "test_src_dir_path"]
