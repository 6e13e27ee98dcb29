"""The shape rules of normalisation over batches of images."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.shapes import Dims
from twinflow._src.shape_rules.demands import merged_size, ranked


def normalized_batches(count: int) -> Any:
    """Returns the rule of an op with the normalised images and ``count`` results of an element a channel."""

    def rule(
        x: Dims | None, *channels: Dims | None, data_format: str = "NHWC", is_training: bool = True, **_: Any
    ) -> list[Dims | None]:
        known = ranked(x, len(data_format))
        axis = 1 if data_format.startswith("NC") else len(data_format) - 1
        size = known[axis]
        for dims in channels[: 2 if is_training else 4]:
            size = merged_size(size, ranked(dims, 1)[0])
        each = [(size,)] * 4
        return [(*known[:axis], size, *known[axis + 1 :]), *each, *[(0,)] * (count - 4)]

    return rule
