"""Functions of ``tf.compat.v1`` that differ from ``tf`` only in the order and names of arguments.

A line of the table has function names and the TensorFlow 1 signature. A parameter that the function
of ``tf`` lacks is a deprecated name (``_OLDER``) or has no effect (``_IGNORED``).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from twinflow._src.compat_v1.compat_utils import as_str_any
from twinflow._src.compat_v1.renamed_args import renamed
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.signature_errors import refused
from twinflow._src.variables.partitioned import PartitionedVariable

_TABLE = """
arg_max arg_min: input, dimension, output_type=int64, name=None
assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_none_equal: x, y, data=None, summarize=None, message=None, name=None
assert_near: x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None
assert_negative assert_non_negative assert_non_positive assert_positive: x, data=None, summarize=None, message=None, name=None
assert_rank assert_rank_at_least: x, rank, data=None, summarize=None, message=None, name=None
assert_rank_in: x, ranks, data=None, summarize=None, message=None, name=None
assert_scalar: tensor, name=None, message=None
batch_to_space: input, crops, block_size, name=None, block_shape=None
bincount: arr, weights=None, minlength=None, maxlength=None, dtype=int32
boolean_mask: tensor, mask, name='boolean_mask', axis=None
random.stateless_multinomial: logits, num_samples, seed, output_dtype=int64, name=None
confusion_matrix: labels, predictions, num_classes=None, dtype=int32, name=None, weights=None
verify_tensor_all_finite: t=None, msg=None, name=None, x=None, message=None
hessians: ys, xs, name='hessians', colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None
io.decode_csv: records, record_defaults, field_delim=',', use_quote_delim=True, name=None, na_value='', select_cols=None
io.decode_raw: input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None
nn.depth_to_space nn.space_to_depth: input, block_size, name=None, data_format='NHWC'
gather_nd: params, indices, name=None, batch_dims=0, bad_indices_policy=''
io.parse_example io.parse_single_example: serialized, features, name=None, example_names=None
io.serialize_many_sparse io.serialize_sparse: sp_input, name=None, out_type=string
linalg.norm: tensor, ord='euclidean', axis=None, keepdims=None, name=None, keep_dims=None
math.in_top_k nn.in_top_k: predictions, targets, k, name=None
math.log_softmax math.softmax nn.log_softmax nn.softmax: logits, axis=None, name=None, dim=None
multinomial random.multinomial: logits, num_samples, seed=None, name=None, output_dtype=None
random.categorical: logits, num_samples, dtype=None, seed=None, name=None
nn.avg_pool nn.avg_pool2d nn.max_pool: value, ksize, strides, padding, data_format='NHWC', name=None, input=None
nn.batch_norm_with_global_normalization: t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None, scale_after_normalization=None, name=None, input=None, mean=None, variance=None
nn.conv1d: value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None, data_format=None, name=None, input=None, dilations=None
nn.conv2d: input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format='NHWC', dilations=[1, 1, 1, 1], name=None, filters=None
nn.conv2d_transpose: value=None, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NHWC', name=None, input=None, filters=None, dilations=None
nn.conv3d: input, filter=None, strides=None, padding=None, data_format='NDHWC', dilations=[1, 1, 1, 1, 1], name=None, filters=None
nn.conv3d_transpose: value, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NDHWC', name=None, input=None, filters=None, dilations=None
nn.convolution: input, filter, padding, strides=None, dilation_rate=None, name=None, data_format=None, filters=None, dilations=None
nn.crelu: features, name=None, axis=-1
nn.depthwise_conv2d: input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None
nn.dilation2d: input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None, dilations=None
nn.dropout: x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None
nn.embedding_lookup: params, ids, partition_strategy='mod', name=None, validate_indices=True, max_norm=None
nn.embedding_lookup_sparse: params, sp_ids, sp_weights, partition_strategy='mod', name=None, combiner=None, max_norm=None, allow_fast_lookup=False
nn.erosion2d: value, kernel, strides, rates, padding, name=None
nn.max_pool_with_argmax: input, ksize, strides, padding, data_format='NHWC', Targmax=None, name=None, output_dtype=None, include_batch_in_index=False
nn.moments: x, axes, shift=None, name=None, keep_dims=None, keepdims=None
nn.nce_loss: weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, remove_accidental_hits=False, partition_strategy='mod', name='nce_loss'
nn.pool: input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None, data_format=None, dilations=None
nn.safe_embedding_lookup_sparse: embedding_weights, sparse_ids, sparse_weights=None, combiner='mean', default_id=None, name=None, partition_strategy='div', max_norm=None, allow_fast_lookup=False
nn.sampled_softmax_loss: weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, remove_accidental_hits=True, partition_strategy='mod', name='sampled_softmax_loss', seed=None
nn.separable_conv2d: input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, data_format=None, dilations=None
nn.softmax_cross_entropy_with_logits_v2: labels, logits, axis=None, name=None, dim=None
nn.softmax_cross_entropy_with_logits: labels=None, logits=None, dim=-1, name=None, axis=None
nn.space_to_batch: input, paddings, block_size=None, name=None, block_shape=None
nn.sufficient_statistics: x, axes, shift=None, keep_dims=None, name=None, keepdims=None
nn.weighted_cross_entropy_with_logits: labels=None, logits=None, pos_weight=None, name=None, targets=None
nn.weighted_moments: x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None
pad: tensor, paddings, mode='CONSTANT', name=None, constant_values=0
random.poisson: lam, shape, dtype=float32, seed=None, name=None
strings.reduce_join: inputs, axis=None, keep_dims=None, separator='', name=None, reduction_indices=None, keepdims=None
reverse_sequence: input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None
sparse.add: a, b, threshold=None, thresh=None
sparse.concat: axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None, expand_nonconcat_dims=None
sparse.reduce_max sparse.reduce_sum: sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None
sparse.segment_mean sparse.segment_sqrt_n sparse.segment_sum: data, indices, segment_ids, name=None, num_segments=None, sparse_gradient=False
strings.to_hash_bucket: string_tensor=None, num_buckets=None, name=None, input=None
strings.to_number: string_tensor=None, out_type=float32, name=None, input=None
strings.length: input, name=None, unit='BYTE'
strings.substr: input, pos, len, name=None, unit='BYTE'
tuple: tensors, name=None, control_inputs=None
"""
# TensorFlow 1 names of parameters and their present names.
_OLDER = {
    **{"t": "input", "m": "mean", "v": "variance", "value": "input", "bytes": "input_bytes"},
    **{"filter": "filters", "kernel": "filters", "rate": "dilations", "rates": "dilations"},
    **{
        "dilation_rate": "dilations",
        "dim": "axis",
        "dimension": "axis",
        "keep_dims": "keepdims",
        "msg": "message",
    },
    **{
        "reduction_axes": "axis",
        "reduction_indices": "axis",
        "thresh": "threshold",
        "concat_dim": "axis",
    },
    **{
        "expand_nonconcat_dim": "expand_nonconcat_dims",
        "seq_dim": "seq_axis",
        "batch_dim": "batch_axis",
    },
    **{
        "targets": "labels",
        "Targmax": "output_dtype",
        "string_tensor": "input",
        "block_size": "block_shape",
    },
    **{"output_dtype": "dtype", "keep_prob": "rate"},
}
_SAME = {"verify_tensor_all_finite": {"t": "x"}}
_IGNORED = frozenset(
    {
        "data",
        "summarize",
        "example_names",
        "use_cudnn_on_gpu",
        "partition_strategy",
        "validate_indices",
    }
    | {"colocate_gradients_with_ops"}
)

Arguments = dict[str, Any]


# ------------------------------------------------------------------ converted arguments


def _convert_keep_prob(args: Arguments, all_given: Mapping[str, Any]) -> None:
    """Converts ``keep_prob`` to ``rate``, its complement."""
    keep = all_given.get("keep_prob")
    if keep is not None:
        args["rate"] = 1 - keep
    elif "rate" not in args:
        raise ValueError("`rate` must be provided. Received: rate=None")


def _square(args: Arguments, _: Mapping[str, Any]) -> None:
    """Converts a scalar block size to one per spatial dimension."""
    args["block_shape"] = [args["block_shape"]] * 2


def _fixed_labels(args: Arguments, _: Mapping[str, Any]) -> None:
    """Stops the gradient of labels."""
    args["labels"] = API["stop_gradient"](args["labels"])


def _in_turn(name: str) -> Callable[[Arguments, Mapping[str, Any]], None]:
    """Concatenates a partitioned table in the order of the "mod" strategy."""

    def put_together(args: Arguments, all_given: Mapping[str, Any]) -> None:
        parts = args[name]
        if isinstance(parts, PartitionedVariable):
            parts = list(parts)
        if (
            all_given["partition_strategy"] == "mod"
            and isinstance(parts, (list, tuple))
            and len(parts) > 1
        ):
            counts = [int(static_size(part.shape, 0)) for part in parts]
            starts = [sum(counts[:i]) for i in range(len(parts))]
            order = [starts[i % len(parts)] + i // len(parts) for i in range(sum(counts))]
            args[name] = API["gather"](API["concat"](list(parts), 0), order)

    return put_together


_CHANGES: dict[str, Callable[[Arguments, Mapping[str, Any]], None]] = {
    "nn.dropout": _convert_keep_prob,
    "batch_to_space": _square,
    "nn.space_to_batch": _square,
    "nn.softmax_cross_entropy_with_logits": _fixed_labels,
    **dict.fromkeys(("nn.embedding_lookup", "nn.embedding_lookup_sparse"), _in_turn("params")),
    **dict.fromkeys(("nn.nce_loss", "nn.sampled_softmax_loss"), _in_turn("weights")),
    "nn.safe_embedding_lookup_sparse": _in_turn("embedding_weights"),
}
_FIXED: dict[str, Arguments] = {
    "nn.dilation2d": {"data_format": "NHWC"},
    "nn.erosion2d": {"data_format": "NHWC"},
}
_LABELS = {
    "nn.max_pool": "MaxPool",
    "nn.softmax_cross_entropy_with_logits": "softmax_cross_entropy_with_logits_sg",
    "multinomial": "multinomial",
    "random.multinomial": "multinomial",
}

# ------------------------------------------------------------------ functions


def _spelled(name: str, function: Callable[..., Any], parameters: str) -> Callable[..., Any]:
    """Wraps a function of ``tf`` with a TensorFlow 1 signature."""
    signature = inspect.signature(eval(f"lambda {parameters}: 0", vars(dtypes).copy()))
    accepted = inspect.signature(function).parameters
    older = _OLDER | _SAME.get(name, {})
    means = {
        p: p if p in accepted and p not in _SAME.get(name, {}) else older.get(p, "")
        for p in signature.parameters
    }
    assert all(means[p] in accepted or p in _IGNORED for p in means), (name, means)
    heard = {parameter: target for parameter, target in means.items() if target in accepted}

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise refused(call, args, kwargs) or error from None
        mapped = _map_arguments(bound, heard)
        if name in _CHANGES:
            _CHANGES[name](mapped, bound.arguments)
        if name in _LABELS and mapped.get("name") is None:
            mapped["name"] = _LABELS[name]
        return _call_with_assert_data(
            function, mapped | _FIXED.get(name, {}), bound.arguments.get("data")
        )

    call.__name__ = name.rpartition(".")[2]
    call.__doc__ = f"``tf.{name}`` with the order and the older names of its arguments."
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _map_arguments(bound: inspect.BoundArguments, means: Mapping[str, str]) -> Arguments:
    """Returns the arguments by present names, with defaults."""
    args: Arguments = {}
    for parameter, value in bound.arguments.items():
        target = means.get(parameter)
        if target is not None:
            other = next((p for p in means if means[p] == target and p != target), "")
            args[target] = renamed(target, args.get(target), other, value)
    bound.apply_defaults()
    for parameter, value in bound.arguments.items():
        if value is not None and parameter in means:
            args.setdefault(means[parameter], value)
    return args


def _call_with_assert_data(function: Callable[..., Any], args: Arguments, data: Any) -> Any:
    """Calls a function; appends ``data`` of an assertion to the message if it fails."""
    try:
        return function(**args)
    except InvalidArgumentError:
        if data is None:
            raise
        texts = [args.get("message"), *(np.asarray(convert_to_tensor(x)).tolist() for x in data)]
        raise invalid("\n".join(as_str_any(x) for x in texts if x is not None)) from None


def functions(moved: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Returns the functions of the table under all their names in ``tf.compat.v1``."""
    # ``moved`` maps names of ``tf.compat.v1`` to public functions with other names.
    result: dict[str, Callable[..., Any]] = {}
    rows = [line.partition(": ")[::2] for line in _TABLE.strip().splitlines()]
    apart = {name for names, _ in rows for name in names.split()}
    symbols = [*moved.items(), *API.items()]
    for names, parameters in rows:
        for name in names.split():
            plain = moved[name] if name in moved else API[name]
            spelled = _spelled(name, plain, parameters)
            others = [n for n, f in symbols if f is plain and n not in apart]
            result |= dict.fromkeys((name, *(n for n in others if not n.endswith("_v2"))), spelled)
    return result
