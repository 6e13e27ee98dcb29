"""Samples of the ops in ``_src/ops/conv/morphology.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import ORDERED, Sample, array, counted, exactly

SAMPLES: dict[str, list[Sample]] = {}


def _windows(image: Any, window: Any, strides: Any, rates: Any, padding: str) -> Any:
    """Each result's place, and the places of image and window that it may come from."""
    reach = [(window.shape[i] - 1) * rates[i + 1] + 1 for i in (0, 1)]
    sizes = image.shape[1:3]
    if padding == "VALID":
        counts, before = (
            [
                (s - r) // strides[1 + i] + 1
                for i, (s, r) in enumerate(zip(sizes, reach, strict=True))
            ],
            [0, 0],
        )
    else:
        counts = [-(-s // strides[1 + i]) for i, s in enumerate(sizes)]
        before = [
            max((n - 1) * strides[1 + i] + reach[i] - sizes[i], 0) // 2
            for i, n in enumerate(counts)
        ]
    for y, x in np.ndindex(*counts):
        start = y * strides[1] - before[0], x * strides[2] - before[1]
        steps = [
            (i, j, start[0] + i * rates[1], start[1] + j * rates[2])
            for i, j in np.ndindex(*window.shape[:2])
        ]
        inside = [(r, c, i, j) for i, j, r, c in steps if 0 <= r < sizes[0] and 0 <= c < sizes[1]]
        for b, d in np.ndindex(image.shape[0], image.shape[3]):
            yield (b, y, x, d), [((b, r, c, d), (i, j, d)) for r, c, i, j in inside]


def _best(image: Any, window: Any, **attrs: Any) -> Any:
    for place, pairs in _windows(image, window, **attrs):
        sums = [image[a] + window[b] for a, b in pairs]
        yield place, pairs[int(np.argmax(sums))], max(sums)


def _dilated(image: Any, window: Any, **attrs: Any) -> Any:
    found = {place: best for place, _, best in _best(image, window, **attrs)}
    result = np.zeros(np.array(list(found)).max(axis=0) + 1, image.dtype)
    for place, best in found.items():
        result[place] = best
    return result


def _gradient(which: int) -> Any:
    def reference(image: Any, window: Any, dy: Any, **attrs: Any) -> Any:
        result = np.zeros_like((image, window)[which])
        for place, pair, _ in _best(image, window, **attrs):
            result[pair[which]] += dy[place]
        return result

    return exactly(reference)


_PLAIN = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "VALID"}
_SAME = {"strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": "SAME"}
_WIDE = {"strides": [1, 1, 1, 1], "rates": [1, 2, 1, 1], "padding": "VALID"}


def _image(dtype: str, channels: int = 1) -> Any:
    return array(np.arange(16 * channels) * 7 % 11, dtype).reshape(1, 4, 4, channels)


SAMPLES["Dilation2D"] = of(
    exactly(_dilated),
    *[(_image(t), counted((2, 2, 1), t), _PLAIN) for t in ORDERED],
    *[(_image("float32", 2), counted((2, 3, 2)), attrs) for attrs in (_SAME, _WIDE)],
    (-_image("float32"), counted((3, 3, 1)), _SAME),
)
for _which, _name in enumerate(("Input", "Filter")):
    SAMPLES[f"Dilation2DBackprop{_name}"] = of(
        _gradient(_which),
        *[(_image(t), counted((2, 2, 1), t), counted((1, 3, 3, 1), t), _PLAIN) for t in ORDERED],
        (_image("float32", 2), counted((2, 3, 2)), counted((1, 2, 4, 2)), _SAME),
        (_image("float32", 2), counted((2, 3, 2)), counted((1, 2, 2, 2)), _WIDE),
    )
