"""Whole recurrent layers of ``tf.raw_ops``, with numbers that TensorFlow computed."""

import numpy as np
import pytest

import twinflow as tf


def wave(shape, speed):
    return tf.constant(np.sin(speed * np.arange(np.prod(shape))).reshape(shape), tf.float32)


def arguments(steps=3):
    return {
        "seq_len_max": tf.constant(steps, tf.int64),
        "x": wave([3, 2, 2], 1.3),
        "cs_prev": wave([2, 2], 0.7),
        "h_prev": wave([2, 2], 0.9),
        "w": wave([4, 8], 2.1),
        "b": wave([8], 0.4),
        "wci": wave([2], 0.3),
        "wcf": wave([2], 0.5),
        "wco": wave([2], 0.6),
    }


CLIPPED = {"use_peephole": True, "cell_clip": 0.5, "forget_bias": 0.7}
NUMBERS = [
    ("BlockLSTM", CLIPPED, [0.385322, 0.203693], [0.5, 0.5, 0.491672, 0.5]),
    ("BlockLSTM", {"cell_clip": -1.0}, [0.557433, 0.321041], [0.797521, 1.216901, 0.421678, 1.411281]),
    ("BlockLSTMV2", {}, [0.373613, 0.330038], [0.48072, 1.183729, 1.013532, 0.845505]),
]  # fmt: skip


@pytest.mark.parametrize("call", [lambda f: f, tf.function], ids=["eager", "traced"])
@pytest.mark.parametrize(("op", "options", "h", "cs"), NUMBERS)
def test_states_of_blocks(call, op, options, h, cs):
    run = call(lambda: getattr(tf.raw_ops, op)(**arguments(), **options))
    result = run()
    assert type(result)._fields == ("i", "cs", "f", "o", "ci", "co", "h")
    np.testing.assert_allclose(result.h[-1, 0], h, atol=2e-6)
    np.testing.assert_allclose(tf.reshape(result.cs[-1], [-1]), cs, atol=2e-6)


def test_steps_after_the_last_are_zeros():
    result = tf.raw_ops.BlockLSTMV2(**arguments(2))
    np.testing.assert_allclose(result.h[1:, 0], [[0.291105, 0.372168], [0, 0]], atol=2e-6)


@pytest.mark.parametrize(
    ("options", "of_first", "product"),
    [
        (CLIPPED, [-0.166681, -1.039162, -0.903333, 1.59761], -5.23158),
        ({"cell_clip": -1.0}, [-0.144788, -0.750787, -0.81079, 1.357176], -4.50383),
    ],
    ids=["clipped", "plain"],
)
def test_gradients_of_blocks(options, of_first, product):
    values = arguments()
    with tf.GradientTape() as tape:
        tape.watch([values["x"], values["w"]])
        result = tf.raw_ops.BlockLSTM(**values, **options)
        loss = tf.reduce_sum(result.h**2) + tf.reduce_sum(result.cs[-1])
    dx, dw = tape.gradient(loss, [values["x"], values["w"]])
    np.testing.assert_allclose(tf.reshape(dx[0], [-1]), of_first, atol=3e-6)
    np.testing.assert_allclose(tf.reduce_sum(dw * values["w"]), product, rtol=1e-5)


def test_gradients_of_blocks_with_the_other_order_of_gates():
    """TensorFlow's are those of the first order, that is wrong; ours are the derivatives."""
    order = tf.constant([0, 1, 4, 5, 2, 3, 6, 7])  # i, f, c, o as i, c, f, o
    values = arguments()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values["w"])
        moved = {"w": tf.gather(values["w"], order, axis=1), "b": tf.gather(values["b"], order)}
        first = tf.raw_ops.BlockLSTM(**{**values, **moved}, forget_bias=0.0, cell_clip=-1.0).h
        second = tf.raw_ops.BlockLSTMV2(**values).h
    np.testing.assert_array_equal(first, second)
    expected, actual = (tape.gradient(h, values["w"]) for h in (first, second))
    np.testing.assert_allclose(actual, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x": tf.ones([2, 2])}, "x must be 3D"),
        ({"w": tf.ones([4, 7])}, r"w.dim_size\(1\) != cell_size \* 4: 7 vs. 8"),
        ({"w": tf.ones([3, 8])}, r"w.dim_size\(0\) != input_size \+ cell_size: 3 vs. 4"),
        ({"b": tf.ones([7])}, r"b.dim_size\(0\) != cell_size \* 4: 7 vs. 8"),
        ({"cs_prev": tf.ones([3, 2])}, r"cs_prev.dims\(0\) != batch_size: 3 vs. 2"),
        ({"h_prev": tf.ones([2, 3])}, r"h_prev.dims\(1\) != cell_size: 3 vs. 2"),
        ({"wci": tf.ones([3])}, r"wci.dim_size\(0\) != cell_size: 3 vs. 2"),
    ],
)
def test_sizes_of_blocks_fit(changed, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.BlockLSTMV2(**{**arguments(), **changed})


def test_static_shapes_of_blocks():
    @tf.function(input_signature=[tf.TensorSpec([None, 2, 2])])
    def cells(x):
        result = tf.raw_ops.BlockLSTMV2(**{**arguments(), "x": x})
        assert result.cs.shape.as_list() == [None, 2, 2]
        return result.cs

    assert cells(tf.ones([3, 2, 2])).shape == (3, 2, 2)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cudnn_step(mode, fed, back, h, c):
    """Returns the state after a step, as cuDNN's manual defines it."""
    if mode == "lstm":
        i, f, g, o = np.split(fed + back, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    if mode == "gru":
        (r, z, n), (back_r, back_z, back_n) = np.split(fed, 3, axis=-1), np.split(back, 3, axis=-1)
        new = np.tanh(n + sigmoid(r + back_r) * back_n)
        z = sigmoid(z + back_z)
        return (1 - z) * new + z * h, c
    return (np.tanh if mode == "rnn_tanh" else lambda x: np.maximum(x, 0))(fed + back), c


@pytest.mark.parametrize("direction", ["unidirectional", "bidirectional"])
@pytest.mark.parametrize(("mode", "gates"), [("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)])  # fmt: skip
def test_stacked_layers(mode, gates, direction):
    random = np.random.RandomState(0)
    ways, units, wide = 1 + (direction == "bidirectional"), 3, 3 * gates
    x = random.randn(5, 2, 4)
    h, c = random.randn(2, 2 * ways, 2, units)
    rows = [4] * ways + [units * ways] * ways
    matrices = [random.randn(wide, n) for size in rows for n in (size, units)]
    biases = [random.randn(wide) for _ in matrices]
    result = tf.raw_ops.CudnnRNN(
        input=x, input_h=h, input_c=c, rnn_mode=mode, direction=direction,
        params=np.concatenate([part.ravel() for part in matrices + biases]),
    )  # fmt: skip
    for layer in range(2):
        both = []
        for way in range(ways):
            at = layer * ways + way
            state, outputs = (h[at], c[at]), []
            (w, r), (bw, br) = (part[2 * at : 2 * at + 2] for part in (matrices, biases))
            for now in x[::-1] if way else x:
                state = cudnn_step(mode, now @ w.T + bw, state[0] @ r.T + br, *state)
                outputs.append(state[0])
            both.append(np.stack(outputs)[:: -1 if way else 1])
            np.testing.assert_allclose(result.output_h[at], state[0], rtol=1e-10)
            if mode == "lstm":
                np.testing.assert_allclose(result.output_c[at], state[1], rtol=1e-10)
        x = np.concatenate(both, -1)
    np.testing.assert_allclose(result.output, x, rtol=1e-10)


def test_stacked_layers_have_weights_of_the_right_number():
    state = tf.ones([1, 3, 5])
    with pytest.raises(tf.errors.InvalidArgumentError, match="requires 220 parameters, got 219"):
        tf.raw_ops.CudnnRNN(
            input=tf.ones([2, 3, 4]), input_h=state, input_c=state, params=tf.ones([219])
        )


@pytest.mark.parametrize("direction", ["unidirectional", "bidirectional"])
@pytest.mark.parametrize(("mode", "gates"), [("lstm", 4), ("gru", 3), ("rnn_relu", 1)])
def test_sequences_of_different_lengths_end_where_they_do(mode, gates, direction):
    random, ways = np.random.RandomState(0), 1 + (direction == "bidirectional")
    values = lambda *shape: random.randn(*shape).astype("float32")
    weights = values(ways * gates * 4 * (3 + 4 + 2))
    x, h, c = values(5, 2, 3), values(ways, 2, 4), values(ways, 2, 4)
    options = {"params": weights, "rnn_mode": mode, "direction": direction}
    result = tf.raw_ops.CudnnRNNV3(
        input=x, input_h=h, input_c=c, sequence_lengths=[5, 3], **options
    )
    full = tf.raw_ops.CudnnRNNV2(input=x, input_h=h, input_c=c, **options)
    short = tf.raw_ops.CudnnRNN(input=x[:3], input_h=h, input_c=c, **options)
    np.testing.assert_allclose(result.output[:, 0], full.output[:, 0], 1e-6)
    np.testing.assert_allclose(result.output[:3, 1], short.output[:, 1], 1e-6)
    assert not np.any(result.output[3:, 1])
    np.testing.assert_allclose(result.output_h[:, 1], short.output_h[:, 1], 1e-6)
    assert result.host_reserved.dtype is full.host_reserved.dtype is tf.int8
    turn = lambda array: np.transpose(array, (1, 0, 2))
    turned = tf.raw_ops.CudnnRNNV3(
        input=turn(x),
        input_h=turn(h),
        input_c=turn(c),
        sequence_lengths=[5, 3],
        time_major=False,
        **options,
    )
    np.testing.assert_array_equal(turn(turned.output), result.output)
    np.testing.assert_array_equal(turn(turned.output_h), result.output_h)
