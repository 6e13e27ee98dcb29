"""``tf.random.Generator``: its state, and what moves it on."""

import numpy as np
import pytest

import twinflow as tf


def state(generator):
    return generator.state.numpy().tolist()


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (1, [1, 0, 0]),
        (2**64 + 5, [5, 1, 0]),
        (-5, [-5, -1, -1]),
        ([1, 2], [0, 1, 2]),
        ([1, 2, 3, 4], [1, 2, 3]),
        (2**63, [-(2**63), 0, 0]),
        (1.5, [0, 0, 1]),
    ],
)
def test_from_seed(seed, expected):
    assert state(tf.random.Generator.from_seed(seed)) == expected


def test_states_of_each_algorithm():
    assert tf.random.create_rng_state(1, "philox").numpy().tolist() == [1, 0, 0]
    assert tf.random.create_rng_state(1, "three-fry").numpy().tolist() == [1, 0]
    assert tf.random.create_rng_state(1, tf.random.Algorithm.AUTO_SELECT).numpy().tolist() == [
        1,
        0,
        0,
    ]


def test_drawing_moves_on_by_256_a_number():
    g = tf.random.Generator.from_seed(1)
    g.normal([2])
    assert state(g) == [513, 0, 0]
    assert g.skip(3).numpy().tolist() == [513, 0, 0]
    assert state(g) == [1281, 0, 0]
    g.reset([-1, -1, 7])
    g.skip(1)
    assert state(g) == [255, 0, 7]
    g.reset([10, 5, 7])
    g.skip(-3)
    assert state(g) == [10 - 768, 5, 7]


def test_the_state_may_be_shared_and_copied():
    shared = tf.Variable([1, 2, 3], dtype=tf.int64)
    a, b = (tf.random.Generator.from_state(shared, "philox") for _ in range(2))
    first = a.uniform([4])
    assert not np.array_equal(b.uniform([4]), first)
    assert shared.numpy().tolist() == [1 + 8 * 256, 2, 3]
    c = tf.random.Generator(copy_from=a)
    np.testing.assert_array_equal(c.normal([3]), a.normal([3]))
    assert (c.algorithm, int(c.key)) == (1, 3)
    assert c.state.name == "StateVar:0" and not c.state.trainable


def test_resets():
    g = tf.random.Generator.from_seed(9)
    g.reset_from_seed(1)
    assert state(g) == [1, 0, 0]
    g.reset_from_key_counter(7, [1, 2])
    assert state(g) == [1, 2, 7]
    assert state(tf.random.Generator.from_key_counter(7, [1, 2], "philox")) == [1, 2, 7]


def test_seeds_and_generators_of_a_generator():
    g = tf.random.Generator.from_seed(1)
    assert g.make_seeds(2).numpy().tolist() == [[6679402142117448868, 684265014234019051], [0, 0]]
    g.reset_from_seed(1)
    assert [state(x) for x in g.split(2)] == [
        [0, 0, 6679402142117448868],
        [0, 0, 684265014234019051],
    ]


def test_whole_ranges():
    g = tf.random.Generator.from_seed(1)
    assert g.uniform([2], None, None, tf.int32).numpy().tolist() == [-119223132, 1555169499]
    g.reset_from_seed(1)
    assert g.uniform_full_int([2]).dtype is tf.uint64


def test_the_global_generator():
    before = tf.random.get_global_generator()
    assert tf.random.get_global_generator() is before
    mine = tf.random.Generator.from_seed(3)
    tf.random.set_global_generator(mine)
    try:
        assert tf.random.get_global_generator() is mine
    finally:
        tf.random.set_global_generator(before)
    other = tf.random.Generator.from_non_deterministic_state()
    assert state(other) != state(tf.random.Generator.from_non_deterministic_state())


REFUSED = {
    "from_state([1, 2], 'philox')": (ValueError, r"Shapes \(2,\) and \[3\] are incompatible"),
    "from_key_counter([7], [1, 2], 'philox')": (ValueError, r"Shapes \(1,\) and \[\] are incompatible"),
    "from_seed(1, alg='foo')": (ValueError, "unsupported value foo"),
    "from_seed(1, alg='threefry').normal([2])": (tf.errors.UnimplementedError, "don't support the ThreeFry"),
    "from_seed(1).uniform([2], dtype=tf.int32)": (ValueError, "must be both `None` or both non-`None`"),
    "from_seed(1).uniform([2], 5, 2, tf.int32)": (tf.errors.InvalidArgumentError, "Need minval < maxval"),
    "from_seed(1).uniform_full_int([2], tf.float32)": (
        tf.errors.InvalidArgumentError, "Value for attr 'dtype' of float is not in the list",
    ),
    "from_seed(1).normal(2)": (tf.errors.InvalidArgumentError, "shape must be a vector"),
    "from_seed(1).reset([1, 2])": (ValueError, "incompatible"),
    "from_seed(1).binomial([3], [10.0], [0.5])": (tf.errors.InvalidArgumentError, "must end with broadcasted"),
}  # fmt: skip


@pytest.mark.parametrize("call", REFUSED)
def test_refused(call):
    error, message = REFUSED[call]
    with pytest.raises(error, match=message):
        eval(f"tf.random.Generator.{call}", {"tf": tf})


def test_state_and_algorithm_come_together():
    with pytest.raises(AssertionError):
        tf.random.Generator()


def test_steps_back_and_far_on():
    """A step back is a step of nearly 2^64 on, whose carry TensorFlow loses now and then."""
    g = tf.random.Generator.from_state([0, 0, 7], "philox")
    found = []
    for delta in (-1, 1, -1, 5, -3, -(2**55), 2**56):
        g.skip(delta)
        found.append(state(g))
    far = -(2**63) + 256
    assert found == [
        [-256, 0, 7], [0, 1, 7], [-256, 1, 7], [1024, 2, 7], [256, 2, 7], [far, 2, 7], [far, 2, 7],
    ]  # fmt: skip
    g.reset([2**63 - 1, -1, 7])
    g.skip(3)
    g.skip(-1)
    assert state(g) == [-(2**63) + 511, -1, 7]
    g.reset([0, 0, 7])
    g.skip(2**62)
    g.skip(2**63 - 1)
    assert state(g) == [-256, 0, 7]


def test_states_are_taken_by_their_bits():
    assert state(tf.random.Generator.from_state([2**63, 2**64 - 1, 2**63 - 1], "philox")) == [
        -(2**63),
        -1,
        2**63 - 1,
    ]


def test_a_shape_that_does_not_fit_moves_no_generator():
    generator = tf.random.Generator.from_seed(4)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Shape passed in must end with broadcasted shape"
    ):
        generator.binomial([2], [3.0], [0.5])
    assert generator.state.numpy().tolist() == [4, 0, 0]
    generator.binomial([1], [3.0], [0.5])
    assert generator.state.numpy().tolist() == [51204, 0, 0]


@pytest.mark.parametrize("algorithm", ["auto_select", "threefry"])
def test_binomial_numbers_come_from_philox_only(algorithm):
    generator = tf.random.Generator.from_seed(4, alg=algorithm)
    number = generator.algorithm
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Unsupported algorithm id: {number}"):
        generator.binomial([1], [3.0], [0.5])
    assert generator.state.numpy()[0] == 4
