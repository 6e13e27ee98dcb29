"""Public functions that parse examples and sequence examples."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import bool_, int64, string
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.wings.io_examples.features import (
    Features,
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    _keys,
)
from twinflow._src.wings.io_examples.parse_example import (
    parse_example_v2,
    partition,
    partition_within,
)
from twinflow._src.wings.io_examples.parse_sequence_example import parse_sequence_example_v2

_ANY = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)
_CONTEXT = (VarLenFeature, FixedLenFeature, RaggedFeature)
_LISTS = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)


def _names(keys: Any) -> Any:
    """Returns names as a vector of strings."""
    names = list(keys)
    return convert_to_tensor(names, dtype=string) if names else convert_to_tensor([], dtype=string)


def _as_serialized(value: Any, single: bool) -> Any:
    """Returns serialized messages as a string tensor."""
    x = convert_to_tensor(convert_to_tensor(value, name="serialized"), dtype=string)
    if single and x.shape.rank not in (None, 0):
        raise ValueError("Input serialized must be a scalar")
    return x


class _Results:
    """The results of an op, consumed from the front."""

    def __init__(self, results: Any) -> None:
        self._left = list(results) if isinstance(results, (list, tuple)) else [results]

    def take(self, count: int) -> list[Any]:
        """Consumes the next results."""
        head, self._left = self._left[:count], self._left[count:]
        return head

    def sparse(self, features: Features) -> dict[str, Any]:
        """Consumes sparse tensors, whose indices, values and shapes are grouped."""
        keys = list(features.sparse)
        parts = [self.take(len(keys)) for _ in range(3)]
        return {key: SparseTensor(*components) for key, *components in zip(keys, *parts)}

    def dense(self, features: Features) -> dict[str, Any]:
        """Consumes dense tensors."""
        return dict(zip(features.dense, self.take(len(features.dense))))


def _ragged(values: Any, *splits: Any) -> Any:
    """Returns a ragged tensor of values and nested row splits; the values without splits."""
    for ends in reversed(splits):
        values = RaggedTensor.from_row_splits(values, ends, validate=False)
    return values


def _build_sparse(parsed: dict[str, Any], feature: Any) -> Any:
    """Builds a sparse tensor from index features, one per dimension, and a value feature."""
    sizes = list(feature.size) if isinstance(feature.size, (list, tuple)) else [feature.size]
    ids = [parsed[key] for key in _keys(feature.index_key)]
    outer = [ids[0].indices[:, :-1], *(API["expand_dims"](x.values, 1) for x in ids)]
    shape = API["concat"]([ids[0].dense_shape[:-1], convert_to_tensor(sizes, dtype=int64)], 0)
    tensor = SparseTensor(API["concat"](outer, 1), parsed[feature.value_key].values, shape)
    return tensor if feature.already_sorted else API["sparse.reorder"](tensor)


def _assemble(parsed: dict[str, Any], features: Features, single: bool) -> dict[str, Any]:
    """Assembles the specified features, and drops those that were only parsed as their inputs."""
    result = dict(parsed)
    for key, feature in sorted(features.described.items()):
        if isinstance(feature, SparseFeature):
            result[key] = _build_sparse(parsed, feature)
        elif isinstance(feature, RaggedFeature):
            values = parsed[key if feature.value_key is None else feature.value_key]
            result[key] = (partition if single else partition_within)(values, feature, parsed)
    return {key: value for key, value in result.items() if key in features.described}


def _parsed(serialized: Any, features: Any, names: Any, single: bool) -> dict[str, Any]:
    """Parses the features of a batch of examples, or of a single one."""
    specs = Features(features, _ANY)
    specs.check(parse_example_v2.op.type)
    results = _Results(
        parse_example_v2(
            _as_serialized(serialized, single),
            convert_to_tensor([] if names is None else names, dtype=string),
            _names(specs.sparse),
            _names(specs.dense),
            _names(specs.ragged),
            specs.defaults(),
            sparse_types=tuple(specs.sparse.values()),
            ragged_value_types=tuple(dtype for dtype, _ in specs.ragged.values()),
            ragged_split_types=tuple(ends for _, ends in specs.ragged.values()),
            dense_shapes=tuple(spec.dims for spec in specs.dense.values()),
        )
    )
    tensors = {**results.sparse(specs), **results.dense(specs)}
    values, ends = (results.take(len(specs.ragged)) for _ in range(2))
    for key, x, splits in zip(specs.ragged, values, ends):
        tensors[key] = x if single else _ragged(x, splits)
    return _assemble(tensors, specs, single)


@export("io.parse_example")
def parse_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Parses serialized ``tf.train.Example`` messages into tensors.

    Args:
        serialized: A vector of serialized messages.
        features: A dictionary from names to ``tf.io.FixedLenFeature`` or its relatives.
        example_names: Names of the examples for error messages.

    Returns:
        A dictionary from names to dense, sparse or ragged tensors.

    Raises:
        ValueError: There are no features, or a specification is not supported.
        InvalidArgumentError: A string is not an example, or a feature is missing or has other
            values.
        ImportError: The package protobuf is not installed.
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    x = _as_serialized(serialized, single=False)
    return _parsed(x, features, example_names, single=x.shape.rank == 0)


@export("io.parse_single_example")
@documented_like(parse_example)
def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Parses a serialized ``tf.train.Example`` message into tensors.

    Args:
        serialized: A serialized message.
        example_names: A name of the example for error messages.

    Raises:
        ValueError: There are no features, or a specification is not supported.
        InvalidArgumentError: The string is not an example, or a feature is missing or has other
            values.
        ImportError: The package protobuf is not installed.
    """
    if features is None:
        raise ValueError("Invalid argument: features cannot be None.")
    if not features:
        raise ValueError("Invalid argument: features cannot be empty.")
    return _parsed(serialized, features, example_names, single=True)


# ------------------------------------------------------------------ sequence examples


def _of_sequences(
    serialized: Any, context: Any, lists: Any, names: Any, single: bool
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Parses the contexts, feature lists and dense list lengths of sequence examples."""
    context_specs, list_specs = (
        Features(context, _CONTEXT, "context"),
        Features(lists, _LISTS, "lists"),
    )
    context_specs.check(parse_sequence_example_v2.op.type, "context_")
    list_specs.check(parse_sequence_example_v2.op.type, "feature_list_")
    results = _Results(
        parse_sequence_example_v2(
            _as_serialized(serialized, single),
            convert_to_tensor([] if names is None else names, dtype=string),
            *(
                _names(keys)
                for f in (context_specs, list_specs)
                for keys in (f.sparse, f.dense, f.ragged)
            ),
            convert_to_tensor(list_specs.missing, dtype=bool_),
            context_specs.defaults(),
            **_attributes("context", context_specs),
            **_attributes("feature_list", list_specs),
            feature_list_dense_types=tuple(spec.dtype for spec in list_specs.dense.values()),
        )
    )
    context_tensors = {**results.sparse(context_specs), **results.dense(context_specs)}
    values, ends = (results.take(len(context_specs.ragged)) for _ in range(2))
    for key, x, splits in zip(context_specs.ragged, values, ends):
        context_tensors[key] = x if single else _ragged(x, splits)
    list_tensors = {**results.sparse(list_specs), **results.dense(list_specs)}
    lengths = dict(zip(list_specs.dense, results.take(len(list_specs.dense))))
    values, outer, inner = (results.take(len(list_specs.ragged)) for _ in range(3))
    for key, x, first, second in zip(list_specs.ragged, values, outer, inner):
        list_tensors[key] = _ragged(x, second) if single else _ragged(x, first, second)
    return (
        _assemble(context_tensors, context_specs, single),
        _assemble_lists(list_tensors, list_specs, single),
        lengths,
    )


def _attributes(prefix: str, features: Features) -> dict[str, Any]:
    ragged = features.ragged.values()
    return {
        f"{prefix}_sparse_types": tuple(features.sparse.values()),
        f"{prefix}_ragged_value_types": tuple(dtype for dtype, _ in ragged),
        f"{prefix}_ragged_split_types": tuple(ends for _, ends in ragged),
        f"{prefix}_dense_shapes": tuple(spec.dims for spec in features.dense.values()),
    }


def _assemble_lists(parsed: dict[str, Any], features: Features, single: bool) -> dict[str, Any]:
    """Assembles the specified feature lists; partitions apply to each item."""
    result = dict(parsed)
    for key, feature in sorted(features.described.items()):
        if isinstance(feature, RaggedFeature):
            whole = parsed[key if feature.value_key is None else feature.value_key]
            if single:
                result[key] = partition_within(whole, feature, parsed)
                continue
            items = {name: x.values for name, x in parsed.items() if isinstance(x, RaggedTensor)}
            result[key] = whole.with_values(partition_within(whole.values, feature, items))
    return {key: value for key, value in result.items() if key in features.described}


@export("io.parse_sequence_example")
def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Parses serialized ``tf.train.SequenceExample`` messages into tensors.

    Args:
        serialized: A vector of serialized messages.
        context_features: A dictionary from names to specifications of context features.
        sequence_features: A dictionary from names to specifications of feature lists.
        example_names: Names of the examples for error messages.

    Returns:
        Three dictionaries: the context features, the feature lists, and the lengths of the dense
        lists.

    Raises:
        ValueError: There are no features, or a specification is not supported.
        InvalidArgumentError: A string is not a sequence example, or a feature is missing or has
            other values.
        ImportError: The package protobuf is not installed.
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one "
            "should have values."
        )
    x = _as_serialized(serialized, single=False)
    return _of_sequences(x, context_features, sequence_features, example_names, x.shape.rank == 0)


@export("io.parse_single_sequence_example")
def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parses a serialized ``tf.train.SequenceExample`` message into tensors.

    Args:
        serialized: A serialized message.
        context_features: A dictionary from names to specifications of context features.
        sequence_features: A dictionary from names to specifications of feature lists.
        example_name: A name of the example for error messages.

    Returns:
        Two dictionaries: the context features, and the feature lists.

    Raises:
        ValueError: There are no features, or a specification is not supported.
        InvalidArgumentError: The string is not a sequence example, or a feature is missing or has
            other values.
        ImportError: The package protobuf is not installed.
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both context_features and sequence_features are None, but at least one should have values."
        )
    results = _of_sequences(serialized, context_features, sequence_features, example_name, True)
    return results[:2]
