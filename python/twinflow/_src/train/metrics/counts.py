"""Precision and recall."""

from __future__ import annotations

from typing import Any, ClassVar

from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.losses.functions import same_rank
from twinflow._src.train.metrics.base import Metric

_LEAST = -1e10  # below any prediction
# For each count: True if the label is positive, True if the prediction is positive.
_COUNTS = {
    "true_positives": (True, True),
    "false_positives": (False, True),
    "true_negatives": (False, False),
    "false_negatives": (True, False),
}


def _thresholds(given: Any, default: float) -> list[Any]:
    found = given if isinstance(given, (list, tuple)) else [default if given is None else given]
    if given is not None and (wrong := [t for t in found if t is None or t < 0 or t > 1]):
        raise ValueError(f"Threshold values must be in [0, 1]. Received: {wrong}")
    return list(found)


class _Counting(Metric):
    """Base class of metrics that count predictions by threshold or top-k."""

    _counts: ClassVar[tuple[str, ...]] = ()

    def __init__(self, thresholds: Any, top_k: Any, class_id: Any, name: Any, dtype: Any) -> None:
        super().__init__(dtype, name)
        self.init_thresholds, self.top_k, self.class_id = thresholds, top_k, class_id
        self.thresholds = _thresholds(thresholds, 0.5 if top_k is None else _LEAST)
        for count in self._counts:
            setattr(self, count, self.add_variable((len(self.thresholds),), "zeros", name=count))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulates counts of samples.

        Args:
            y_true: The labels, 0 or 1.
            y_pred: The predictions.
            sample_weight: Weights of the samples.
        """
        dtype = self.variables[0].dtype
        y_pred, y_true = same_rank(cast(y_pred, dtype), cast(y_true, dtype))
        if sample_weight is not None:
            weights = API["expand_dims"](cast(sample_weight, dtype), -1)
            sample_weight = same_rank(y_true, weights, False)[1]
        if self.top_k is not None:
            y_pred = _best(y_pred, self.top_k)
        if self.class_id is not None:
            y_true, y_pred = self._of_class(y_true, y_pred)
        if sample_weight is not None:
            sample_weight = API["reshape"](
                API["broadcast_to"](sample_weight, API["shape"](y_pred)), [1, -1]
            )
        self._count(y_true, y_pred, sample_weight, dtype)

    def _of_class(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        if len(y_pred.shape) == 1:
            raise ValueError(
                "When class_id is provided, y_pred must be a 2D array with shape (num_samples, "
                f"num_classes), found shape: {y_pred.shape}"
            )
        return y_true[..., self.class_id, None], y_pred[..., self.class_id, None]

    def _count(self, y_true: Any, y_pred: Any, weights: Any, dtype: Any) -> None:
        bounds = API["reshape"](cast(self.thresholds, dtype), [-1, 1])
        above = API["greater"](API["reshape"](y_pred, [1, -1]), bounds)
        positive = API["reshape"](cast(y_true, "bool"), [1, -1])
        for name in self._counts:
            label, prediction = (
                x if wanted else API["logical_not"](x)
                for x, wanted in zip((positive, above), _COUNTS[name])
            )
            hits = cast(API["logical_and"](label, prediction), dtype)
            hits = hits if weights is None else hits * weights
            getattr(self, name).assign_add(API["reduce_sum"](hits, 1))


def _best(x: Any, k: int) -> Any:
    """Masks all but the top k predictions with a value below any threshold."""
    places = API["math.top_k"](x, k)[1]
    among = API["reduce_sum"](API["one_hot"](places, API["shape"](x)[-1]), -2)
    return x * among + _LEAST * (1 - among)


_RATIO = {"thresholds": "init_thresholds", "top_k": "top_k", "class_id": "class_id"}


class _Ratio(_Counting):
    """Ratio of the first count to the sum of both."""

    _settings = _RATIO

    def __init__(
        self,
        thresholds: Any = None,
        top_k: Any = None,
        class_id: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(thresholds, top_k, class_id, name, dtype)

    def result(self) -> Any:
        """Returns the ratio, per threshold if there are several."""
        part, rest = (cast(getattr(self, name), getattr(self, name).dtype) for name in self._counts)
        share = API["math.divide_no_nan"](part, part + rest)
        return share[0] if len(self.thresholds) == 1 else share


class Precision(_Ratio):
    """Precision: the fraction of positive predictions that are true.

    Args:
        thresholds: Thresholds above which predictions are positive; 0.5 if None.
        top_k: If set, the top k predictions of a sample are positive instead.
        class_id: The only class to count.
        name: The name.
        dtype: The dtype of the state.

    Raises:
        ValueError: A threshold is not between 0 and 1.
    """

    __module__ = "twinflow.keras.metrics"

    _counts = ("true_positives", "false_positives")


class Recall(_Ratio):
    """Recall: the fraction of positive samples predicted as such; see ``Precision``."""

    __module__ = "twinflow.keras.metrics"

    _counts = ("true_positives", "false_negatives")
