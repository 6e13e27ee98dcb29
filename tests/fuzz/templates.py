"""Calls written out, with random literals at the places of their inputs."""

from __future__ import annotations

import re

from .operations import is_exact
from .writer import Value, Writer

# What stands at a place: the types and the shape.
_PLACES = {
    "a": (("float32", "float64"), (2, 3)), "b": (("float32", "float64"), (3,)), "s": (("float32", "float64"), (2, 2)),
    "n": (("float32",), ()), "i": (("int32", "int64"), (3,)), "j": (("int32",), (2, 3)), "c": (("bool",), (2, 3)), "d": (("bool",), (3,)),
    "t": (("string",), (3,)), "q": (("float32",), (1, 3, 3, 2)), "k": (("float32",), (2, 2, 2, 2)), "z": (("complex64",), (3,)), "u": (("int32",), ()),
    "r": (("float32",), (1, 3)), "e": (("float32",), (0, 3)), "o": (("float32",), (1, 1)), "w": (("complex64",), (2, 2)),
}  # fmt: skip

# Those above the line are derived as well.
_SMOOTH = """
tf.linalg.inv({s}) | tf.linalg.det({s}) | tf.linalg.solve({s}, {s}) | tf.linalg.trace({s}) | tf.linalg.band_part({s}, 0, -1) | tf.linalg.diag_part({s})
tf.linalg.matvec({a}, {b}) | tf.linalg.matmul({a}, {a}, transpose_b=True) | tf.linalg.matmul({a}, {a}, transpose_a=True) | tf.linalg.norm({a}) | tf.norm({a}, axis=1)
tf.norm({a}, 1, axis=0) | tf.tensordot({a}, {b}, 1) | tf.einsum('ij,kj->ik', {a}, {a}) | tf.einsum('i,i->', {b}, {b}) | tf.einsum('ij->ji', {a}) | tf.linalg.cross({b}, {b})
tf.nn.softmax_cross_entropy_with_logits({a}, {a}) | tf.nn.sigmoid_cross_entropy_with_logits({a}, {a}) | tf.nn.sparse_softmax_cross_entropy_with_logits([0, 2], {a})
tf.nn.conv2d({q}, {k}, 1, 'SAME') | tf.nn.conv2d({q}, {k}, 2, 'VALID') | tf.nn.max_pool2d({q}, 2, 1, 'VALID') | tf.nn.avg_pool2d({q}, 2, 1, 'SAME') | tf.nn.bias_add({a}, {b})
tf.nn.l2_loss({a}) | tf.nn.moments({a}, [0]) | tf.nn.batch_normalization({a}, {b}, {b}, {b}, {b}, 1e-3) | tf.nn.depthwise_conv2d({q}, {k}, [1, 1, 1, 1], 'SAME')
tf.split({a}, 3, axis=1) | tf.split({a}, [1, 2], axis=1) | tf.unstack({a}) | tf.unstack({a}, axis=1) | tf.add_n([{b}, {b}]) | tf.meshgrid({b}, {b}) | tf.linspace({n}, 2.0, 4)
tf.clip_by_norm({b}, 1.5) | tf.clip_by_global_norm([{b}, {b}], 1.5)[0] | tf.math.cumulative_logsumexp({b}) | tf.reduce_logsumexp({a}, 1) | tf.math.reduce_euclidean_norm({a}, 1)
tf.math.segment_sum({b}, [0, 0, 1]) | tf.math.segment_mean({b}, [0, 1, 1]) | tf.math.segment_max({b}, [0, 0, 2]) | tf.math.unsorted_segment_prod({b}, [0, 1, 0], 2)
tf.gather({a}, [[0, 1], [1, 1]]) | tf.gather({a}, {{0}}, axis=1, batch_dims=0) | tf.gather({a}, [[2], [0]], axis=1, batch_dims=1) | tf.gather_nd({a}, [[0, 1], [1, 2]])
tf.scatter_nd([[1], [1]], tf.gather({b}, [0, 1]), [3]) | tf.tensor_scatter_nd_update({a}, [[1]], [{b}]) | tf.dynamic_partition({b}, [0, 1, 0], 2) | tf.dynamic_stitch([[0, 2], [1]], [tf.gather({b}, [0, 1]), tf.gather({b}, [2])])
tf.reverse_sequence({a}, [2, 3], seq_axis=1) | tf.where({c}, {a}, {b}) | tf.where({c}, {a}, 0.0) | tf.pad({a}, [[1, 0], [0, 2]], 'REFLECT') | tf.pad({b}, [[2, 1]], 'SYMMETRIC') | tf.pad({b}, [[1, 1]], constant_values=3.0)
tf.concat([{a}, {a}, {a}], -1) | tf.tile({b}, [2]) | tf.repeat({b}, [1, 0, 2]) | tf.roll({a}, [1, -1], [0, 1]) | tf.space_to_depth(tf.pad({q}, [[0, 0], [0, 1], [0, 1], [0, 0]]), 2) | tf.strided_slice({a}, [0, 0], [2, 3], [1, 2])
tf.math.sinh({b}) | tf.math.betainc(tf.abs({b}) + 1.0, tf.abs({b}) + 1.0, 0.25) | tf.math.igamma(tf.abs({b}) + 1.0, tf.abs({b})) | tf.math.erfinv({b} / 5.0) | tf.math.ndtri(tf.sigmoid({b})) | tf.math.bessel_i0({b}) | tf.math.special.expint(tf.abs({b}) + 1.0)
tf.nn.crelu({b}) | tf.nn.elu({a}) | tf.nn.leaky_relu({a}, 0.3) | tf.nn.gelu({b}, True) | tf.nn.log_softmax({a}, 0) | tf.nn.softmax({a}, axis=0) | tf.nn.dropout({a}, 0.0) | tf.nn.local_response_normalization({q})
tf.math.real({z}) | tf.math.imag({z}) | tf.math.conj({z}) | tf.math.angle({z}) | tf.abs({z}) | tf.complex({b}, {b}) | tf.exp({z}) | {z} * {z} | {z} / {z} | tf.reduce_sum({z}) | tf.linalg.adjoint({w}) | tf.linalg.matmul({w}, {w})
{a} + {r} | {a} * {o} | {a} - {n} | {a} / {r} | tf.maximum({a}, {r}) | tf.math.squared_difference({a}, {o}) | {r} ** 2.0 | tf.abs({a}) ** {r} | {a} + {e} | tf.reduce_sum({e}, 0) | tf.reduce_max({e}, 1) | tf.reduce_mean({e}, 0) | tf.matmul({e}, {a}, transpose_b=True)
tf.broadcast_to({r}, [4, 3]) | tf.ensure_shape({a}, [None, 3]) | tf.guarantee_const({a}) | tf.identity_n([{a}, {b}]) | tf.stack([{b}, {b}], 1) | tf.expand_dims({a}, [1]) | tf.squeeze({r}, 0) | tf.transpose({q}, [0, 3, 1, 2]) | tf.linalg.set_diag({s}, tf.gather({b}, [0, 1]))
tf.linalg.cholesky(tf.matmul({s}, {s}, transpose_b=True) + tf.eye(2, dtype={s}.dtype) * 4.0) | tf.linalg.triangular_solve({s} + tf.eye(2, dtype={s}.dtype) * 9.0, {s}) | tf.linalg.logdet(tf.matmul({s}, {s}, transpose_b=True) + tf.eye(2, dtype={s}.dtype)) | tf.linalg.expm({s}) | tf.linalg.lu({s})[0]
tf.signal.fft({z}) | tf.signal.rfft({b}) | tf.signal.frame({b}, 2, 1) | tf.signal.overlap_and_add({a}, 1) | tf.cast({z}, tf.complex128) | tf.math.cumsum({z}) | tf.reduce_prod({a}, 1) | tf.reduce_prod({b}) | tf.math.cumprod({b}, reverse=True) | tf.math.top_k({b}, 2)[0] | tf.sort({b})
"""
_OTHERS = """
tf.math.bincount(tf.abs({i}), minlength=4) | tf.searchsorted(tf.sort({b}), {b}) | tf.histogram_fixed_width({b}, [-3.0, 3.0], 4) | tf.sequence_mask(tf.abs({i}), 5) | tf.one_hot({i}, 4, 2.0, -1.0) | tf.unique_with_counts({i})
tf.math.in_top_k([0, 2], tf.cast({a}, tf.float32), 2) | tf.math.confusion_matrix([0, 1, 2], [0, 2, 2]) | tf.math.reduce_any({c}, 1) | tf.math.logical_not({c}) | tf.boolean_mask({a}, {c}) | tf.boolean_mask({a}, {d}, axis=1) | tf.where({c})
tf.strings.split({t}, 'a') | tf.strings.substr({t}, 0, 1) | tf.strings.to_number(['1.5', '-2', 'nan']) | tf.strings.reduce_join({t}) | tf.strings.regex_full_match({t}, '[a-z]+') | tf.strings.unicode_decode({t}, 'UTF-8') | tf.strings.format('{{}}', {i}) | tf.strings.bytes_split({t}) | tf.strings.ngrams({t}, 2) | tf.strings.to_hash_bucket_strong({t}, 9, [1, 2])
tf.as_string({b}, precision=2) | tf.as_string({i}, width=4, fill='0') | tf.bitcast({n}, tf.int32) | tf.dtypes.saturate_cast({b} * 100.0, tf.int8) | tf.dtypes.complex({b}, {b}) | tf.shape({a}) | tf.size({a}) | tf.rank({a}) | tf.shape_n([{a}, {b}]) | tf.broadcast_static_shape({a}.shape, {r}.shape) | tf.broadcast_dynamic_shape([2, 1], [3])
tf.range({u}) | tf.range({u}, 12, 5) | tf.fill([2, 2], {n}) | tf.eye(2, 3) | tf.zeros([2, 0]) | tf.ones_like({i}) | tf.zeros_like({t}) | tf.linalg.diag({i}, k=1) | tf.linalg.tensor_diag({i}) | tf.argsort({b}, direction='DESCENDING', stable=True) | tf.argmax({a}) | tf.argmin({a}, 1, tf.int32) | tf.invert_permutation([2, 0, 1])
tf.bitwise.left_shift({i}, 2) | tf.bitwise.invert({i}) | {i} // 3 | {i} % 4 | -{i} // 3 | {i} ** 2 | tf.math.floormod({i}, -3) | tf.math.mod({b}, 0.75) | tf.math.floordiv({b}, 0.5) | tf.truncatediv({i}, 2) | {i} / 2 | {i} << 1 | ~{d} | {d} & {d} | {c} ^ {d} | abs({b}) | divmod({i}, 2)[1]
tf.quantization.fake_quant_with_min_max_args({b}) | tf.quantization.quantize_and_dequantize_v2({b}, -2.0, 2.0) | tf.math.nextafter({b}, 1.0) | tf.math.zero_fraction({b}) | tf.math.count_nonzero({a}, 0) | tf.math.is_non_decreasing({b}) | tf.math.is_strictly_increasing({b}) | tf.math.reduce_std({a}, 0)
tf.sparse.to_dense(tf.sparse.from_dense({a})) | tf.sparse.reduce_sum(tf.sparse.from_dense({a}), 0) | tf.sparse.sparse_dense_matmul(tf.sparse.from_dense({s}), {s}) | tf.RaggedTensor.from_row_lengths({b}, [2, 1]).to_tensor(9.0) | tf.reduce_sum(tf.RaggedTensor.from_row_splits({b}, [0, 1, 3]), axis=1)
tf.random.stateless_uniform([3], [1, 2]) | tf.random.stateless_normal([3], [{u}, 2]) | tf.random.stateless_uniform([3], [1, 2], 0, 9, tf.int32) | tf.math.polyval([{n}, {n}], 2.0) | tf.debugging.assert_equal({i}, {i}) | tf.debugging.check_numerics({b}, 'm')
tf.constant({u}) | tf.convert_to_tensor([{n}, {n}]) | tf.convert_to_tensor([1, 2.5]) | tf.constant([1, 2, 3], tf.uint8, [3, 1]) | tf.cast([1.7, -1.7], tf.int32) | tf.cast({b}, tf.bool) | tf.nest.flatten([{u}, ({n},)]) | tf.get_static_value({b}) | tf.tensor_scatter_nd_max({b}, [[0], [0]], tf.gather({b}, [1, 2])) | tf.math.bincount(tf.abs({i}), weights=tf.ones(3))
tf.linalg.eigvalsh({s}) | tf.linalg.svd({s}, compute_uv=False) | tf.linalg.matrix_rank({s}) | tf.linalg.slogdet({s})[0] | tf.linalg.matrix_transpose({a}) | tf.nn.in_top_k([0], [[1.0, 2.0]], 1) | tf.nn.embedding_lookup({a}, [1, 0]) | tf.nn.ctc_unique_labels([[1, 1, 2]]) | tf.switch_case(0, [lambda: {n}])
"""


def _table(text: str) -> list[str]:
    return [
        call.strip()
        for line in text.strip().splitlines()
        for call in line.split(" | ")
        if "(" in call or " " in call.strip()
    ]


SMOOTH, OTHERS = _table(_SMOOTH), _table(_OTHERS)


def call(w: Writer, smooth: bool = False) -> None:
    """A call of the tables, on values of the program or new literals."""
    text = w.draws.pick(SMOOTH if smooth else SMOOTH + OTHERS)
    made: dict[str, Value] = {}
    main = w.draws.pick(("float32", "float32", "float64"))
    again = w.draws.chance(50)

    def place(match: re.Match[str]) -> str:
        letter = match[1]
        if letter not in made or not again:
            types, shape = _PLACES[letter]
            own = (main,) if "float64" in types else types
            made[letter] = w.value(lambda v: is_exact(v) and not v.large, types=own, shape=shape)
        return made[letter].name

    expression = re.sub(r"\{([a-z])\}", place, text).replace("{{0}}", "[0]").replace("{{}}", "{}")
    w.let(expression, "", (), 1 << 10, keep=False)


def slope(w: Writer) -> None:
    """The derivative of a call of the tables by its inputs."""
    before = len(w.scopes[-1])
    lines = w.block
    with w.body() as block:
        call(w, smooth=True)
        made = w.scopes[-1]
        sources = [v for v in made if v.dtype in ("float32", "float64", "complex64")]
    *literals, last = block
    for line in literals:
        w.say(line)
    assert lines is w.block and before == len(w.scopes[-1])
    used = [v.name for v in sources] or [
        v.name for v in w.visible(lambda v: v.dtype == "float32" and v.name in last)
    ]
    if not used:
        return
    name, t = last.split(" = ")[0], w.name("t")
    watched = "".join(f"    {t}.watch({x})\n" for x in used)
    g = w.name("g")
    w.say(
        f"with tf.GradientTape(persistent=True) as {t}:\n{watched}    {last}\n{g} = {t}.gradient({name}, [{', '.join(used)}])",
        1 << 10,
    )
    w.scopes[-1].extend(v for v in sources if v.dtype != "complex64")
    if w.block is None:
        w.say(g, 1 << 10)
