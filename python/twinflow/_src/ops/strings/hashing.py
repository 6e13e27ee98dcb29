"""Hashes of strings: ``to_hash_bucket_fast`` and ``fingerprint``."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import string, uint8
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same, text
from twinflow._src.dispatch.op import Strings, export, op
from twinflow._src.ops.strings.farmhash import fingerprints64


@op("StringToHashBucketFast", no_gradient=True, api="strings.to_hash_bucket_fast", shape=same, devices=("CPU",))
def to_hash_bucket_fast(xp: Any, input: Strings, *, num_buckets: int) -> Any:
    """Returns numbers that depend on strings, evenly spread.

    Args:
        input: A tensor of strings.
        num_buckets: The numbers are less than this.

    Returns:
        An int64 tensor of the same shape.

    Raises:
        InvalidArgumentError: The number of buckets is not positive.
    """
    if num_buckets < 1:
        raise invalid(f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 1")
    found = fingerprints64(input.ravel().tolist()) % num_buckets
    return found.astype(np.int64).reshape(input.shape)


@export("fingerprint")
def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Any:
    """Returns fingerprints of the slices of a tensor along its first dimension.

    Args:
        data: A tensor of rank 1 or more.
        method: ``"farmhash64"``.
        name: A name for the operation.

    Returns:
        A uint8 matrix, a row of 8 bytes a slice.

    Raises:
        InvalidArgumentError: The tensor is a scalar, or there is no such method.
    """
    x = convert_to_tensor(data)
    if not x.shape.rank:
        raise invalid(f"`data` should have at least one dimension: {text(x.shape._dims)}")
    if method != "farmhash64":
        raise invalid(f"Unsupported fingerprint method: {method}")
    array = x._host()
    if x.dtype is string and array.ndim == 1:
        rows = list(array)
    elif x.dtype is string:
        rows = [fingerprints64(row.ravel().tolist()).astype("<u8").tobytes() for row in array]
    else:
        rows = [row.tobytes() for row in array]
    return convert_to_tensor(fingerprints64(rows).astype("<u8").view(uint8.np).reshape(len(rows), 8))
