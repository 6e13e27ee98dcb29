"""The public names of optimizers, schedules, losses, metrics and graphs in files, and their modules.

Most programs do not train, so the modules are imported when a name of them is first asked for.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

_REGRESSION = (
    "MAE:mean_absolute_error mae:mean_absolute_error MSE:mean_squared_error mse:mean_squared_error "
    "MAPE:mean_absolute_percentage_error mape:mean_absolute_percentage_error "
    "MSLE:mean_squared_logarithmic_error msle:mean_squared_logarithmic_error "
    "KLD:kl_divergence kld:kl_divergence kullback_leibler_divergence:kl_divergence "
    "logcosh:log_cosh "
)
_ENTROPIES = "binary_crossentropy categorical_crossentropy sparse_categorical_crossentropy"
# By namespace: the module and its names; a name in the module that differs follows a colon.
_TABLE: dict[tuple[str, ...], dict[str, str]] = {
    ("compat",): {
        "compat_values": "as_bytes as_str as_str_any as_text bytes_or_text_types complex_types dimension_at_index "
        "dimension_value forward_compatibility_horizon forward_compatible integral_types path_to_str real_types",
    },
    ("optimizers", "keras.optimizers"): {
        "optimizer_base": "Optimizer",
        "optimizer_classes": "Adadelta Adagrad Ftrl Lion RMSprop SGD",
        "optimizer_adam": "Adam AdamW Adamax Nadam",
        "optimizer_lookup": "deserialize get serialize",
    },
    ("optimizers.schedules", "keras.optimizers.schedules"): {
        "schedule_base": "LearningRateSchedule serialize:described_schedule deserialize:revived",
        "schedule_classes": "ExponentialDecay InverseTimeDecay PiecewiseConstantDecay PolynomialDecay",
        "schedule_cosine": "CosineDecay CosineDecayRestarts",
    },
    ("losses", "keras.losses"): {
        "loss_classes": "BinaryCrossentropy CategoricalCrossentropy CategoricalHinge CosineSimilarity "
        "Hinge Huber KLDivergence LogCosh Loss MeanAbsoluteError MeanAbsolutePercentageError "
        "MeanSquaredError MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy "
        "SquaredHinge",
        "loss_functions": _REGRESSION + "categorical_hinge cosine_similarity hinge huber poisson "
        "squared_hinge",
        "loss_entropies": _ENTROPIES,
        "loss_lookup": "deserialize:deserialize_loss get:get_loss serialize:serialize_loss",
    },
    ("metrics", "keras.metrics"): {
        "metric_base": "Mean MeanMetricWrapper Metric Sum",
        "metric_classes": "Accuracy BinaryAccuracy BinaryCrossentropy CategoricalAccuracy "
        "CategoricalCrossentropy CategoricalHinge Hinge KLDivergence LogCoshError MeanAbsoluteError "
        "MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogarithmicError Poisson "
        "RootMeanSquaredError SparseCategoricalAccuracy SparseCategoricalCrossentropy SquaredHinge "
        "TopKCategoricalAccuracy",
        "metric_counts": "Precision Recall",
        "metric_functions": "binary_accuracy categorical_accuracy sparse_categorical_accuracy "
        "sparse_top_k_categorical_accuracy top_k_categorical_accuracy",
        "loss_functions": _REGRESSION + "categorical_hinge hinge huber poisson squared_hinge",
        "loss_entropies": _ENTROPIES,
        "loss_lookup": "deserialize:deserialize_metric get:get_metric serialize:serialize_metric",
    },
    ("train",): {"moving_averages": "ExponentialMovingAverage"},
    ("graph_util", ""): {"graph_import": "import_graph_def"},
    ("io",): {"graph_utilities": "write_graph"},
    ("keras",): {
        "keras_variable": "Variable",
        "loss_classes": "Loss",
        "metric_base": "Metric",
        "optimizer_base": "Optimizer",
    },
}


def _found(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"{__package__}.{module}"), name)


def _entries() -> Iterator[tuple[str, Callable[[], Any]]]:
    for places, modules in _TABLE.items():
        for module, names in modules.items():
            for entry in names.split():
                name, _, own = entry.partition(":")
                for place in places:
                    yield f"{place}.{name}".lstrip("."), functools.partial(_found, module, own or name)


NAMES = dict(_entries())
