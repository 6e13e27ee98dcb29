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
        "legacy.compat_values": "as_bytes as_str as_str_any as_text bytes_or_text_types complex_types dimension_at_index "
        "dimension_value forward_compatibility_horizon forward_compatible integral_types path_to_str real_types",
    },
    ("optimizers", "keras.optimizers"): {
        "training.optimizers.base": "Optimizer",
        "training.optimizers.classes": "Adadelta Adagrad Ftrl Lion RMSprop SGD",
        "training.optimizers.adam": "Adam AdamW Adamax Nadam",
        "training.optimizers.lookup": "deserialize get serialize",
    },
    ("optimizers.schedules", "keras.optimizers.schedules"): {
        "training.schedules.base": "LearningRateSchedule serialize:described_schedule deserialize:revived",
        "training.schedules.classes": "ExponentialDecay InverseTimeDecay PiecewiseConstantDecay PolynomialDecay",
        "training.schedules.cosine": "CosineDecay CosineDecayRestarts",
    },
    ("losses", "keras.losses"): {
        "training.losses.classes": "BinaryCrossentropy CategoricalCrossentropy CategoricalHinge CosineSimilarity "
        "Hinge Huber KLDivergence LogCosh Loss MeanAbsoluteError MeanAbsolutePercentageError "
        "MeanSquaredError MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy "
        "SquaredHinge",
        "training.losses.functions": _REGRESSION + "categorical_hinge cosine_similarity hinge huber poisson "
        "squared_hinge",
        "training.losses.entropies": _ENTROPIES,
        "training.losses.lookup": "deserialize:deserialize_loss get:get_loss serialize:serialize_loss",
    },
    ("metrics", "keras.metrics"): {
        "training.metrics.base": "Mean MeanMetricWrapper Metric Sum",
        "training.metrics.classes": "Accuracy BinaryAccuracy BinaryCrossentropy CategoricalAccuracy "
        "CategoricalCrossentropy CategoricalHinge Hinge KLDivergence LogCoshError MeanAbsoluteError "
        "MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogarithmicError Poisson "
        "RootMeanSquaredError SparseCategoricalAccuracy SparseCategoricalCrossentropy SquaredHinge "
        "TopKCategoricalAccuracy",
        "training.metrics.counts": "Precision Recall",
        "training.metrics.functions": "binary_accuracy categorical_accuracy sparse_categorical_accuracy "
        "sparse_top_k_categorical_accuracy top_k_categorical_accuracy",
        "training.losses.functions": _REGRESSION + "categorical_hinge hinge huber poisson squared_hinge",
        "training.losses.entropies": _ENTROPIES,
        "training.losses.lookup": "deserialize:deserialize_metric get:get_metric serialize:serialize_metric",
    },
    ("train",): {"training.moving_averages": "ExponentialMovingAverage"},
    ("graph_util", ""): {"graph_files.importing": "import_graph_def"},
    ("io",): {"graph_files.utilities": "write_graph"},
    ("keras",): {
        "variables.keras_variable": "Variable",
        "training.losses.classes": "Loss",
        "training.metrics.base": "Metric",
        "training.optimizers.base": "Optimizer",
    },
}


def _found(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"twinflow.{module}"), name)


def _entries() -> Iterator[tuple[str, Callable[[], Any]]]:
    for places, modules in _TABLE.items():
        for module, names in modules.items():
            for entry in names.split():
                name, _, own = entry.partition(":")
                for place in places:
                    yield f"{place}.{name}".lstrip("."), functools.partial(_found, module, own or name)


NAMES = dict(_entries())
