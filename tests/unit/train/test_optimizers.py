"""Optimizers: the numbers after 100 steps are TensorFlow's to the bit, in eager code and in graphs."""

import base64
import contextlib
import copy
import json
import pathlib
import pickle
import tracemalloc

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.core.context import entered, thread

RECORDED = json.loads((pathlib.Path(__file__).parent / "optimizer_numbers.json").read_text("utf-8"))
SHAPES = ((5, 3), (7,), ())
CLASSES = [
    "SGD",
    "Adam",
    "AdamW",
    "Adagrad",
    "RMSprop",
    "Adadelta",
    "Adamax",
    "Nadam",
    "Ftrl",
    "Lion",
]


def made(case):
    options = dict(case["options"])
    if options.get("learning_rate") == "sched":
        options["learning_rate"] = tf.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    return getattr(tf.optimizers, case["class"])(**options)


def trained(case, sparse=False, traced=False):
    """The variables after some steps along gradients that were drawn beforehand."""
    rng = np.random.RandomState(7)
    drawn = lambda shape: np.asarray(rng.randn(*shape), "f4")
    variables = [tf.Variable(drawn(shape)) for shape in SHAPES]
    gradients = [[drawn(s) * np.float32(0.3) for s in SHAPES] for _ in range(case["steps"])]
    rows = rng.randint(0, 5, (case["steps"], 4))
    optimizer = made(case)

    def step(a, b, c, which):
        if sparse:
            a = tf.IndexedSlices(a[:4], which, tf.constant([5, 3]))
        optimizer.apply_gradients(zip([a, b, c], variables, strict=True))

    step = tf.function(step) if traced else step
    for given, which in zip(gradients, rows, strict=True):
        step(*map(tf.constant, given), tf.constant(which, tf.int32))
    return np.concatenate([v.numpy().ravel() for v in variables])


@pytest.mark.parametrize("name", RECORDED)
def test_numbers(name):
    case = RECORDED[name]
    recorded = np.frombuffer(base64.b64decode(case["values"]), "<f4")
    ours = trained(case, sparse=name.endswith("/s"))
    if (
        case["class"] == "Ftrl"
    ):  # powers of whole tensors: NumPy's and TensorFlow's round differently
        np.testing.assert_allclose(ours, recorded, rtol=1e-4, atol=1e-6)
    else:
        np.testing.assert_array_equal(ours, recorded)


@pytest.mark.parametrize("name", [n for n in RECORDED if not n.endswith("/s")])
def test_a_graph_gives_the_same_bits(name):
    case = {**RECORDED[name], "steps": 30}
    np.testing.assert_array_equal(trained(case, traced=True), trained(case))


@pytest.mark.parametrize("name", CLASSES)
def test_rules_agree_on_arrays_and_on_tensors(name, monkeypatch):
    case = {"class": name, "options": {"learning_rate": 0.05}, "steps": 30}
    whole = trained(case)
    monkeypatch.setattr(
        "twinflow._src.train.optimizers.step.prepared", lambda optimizer, variables: None
    )
    np.testing.assert_array_equal(trained(case), whole)
    monkeypatch.setattr(
        "twinflow._src.train.optimizers.updates._fits", lambda variable, gradient: False
    )
    np.testing.assert_array_equal(trained(case), whole)


# What changes between the steps of an optimizer: a step after it is not like the one before.
CHANGES = {
    "the rate": lambda optimizer, variables: setattr(optimizer, "learning_rate", 0.5),
    "a setting": lambda optimizer, variables: setattr(optimizer, "momentum", 0.25),
    "clipping": lambda optimizer, variables: setattr(optimizer, "clipnorm", 0.1),
    "decay": lambda optimizer, variables: setattr(optimizer, "weight_decay", 0.1),
    "a constraint": lambda optimizer, variables: setattr(variables[0], "constraint", tf.abs),
    "the order": lambda optimizer, variables: variables.reverse(),
    "fewer": lambda optimizer, variables: variables.pop(),
    "a value": lambda optimizer, variables: variables[0].assign([9.0, 9.0, 9.0]),
    "a slot": lambda optimizer, variables: optimizer.momentums[0].assign([9.0, 9.0, 9.0]),
    "a log": lambda optimizer, variables: tf.debugging.set_log_device_placement(True),
}


def changed_while_training(change):
    variables = [tf.keras.Variable([1.0, -2.0, 3.0]), tf.keras.Variable([0.5, 0.25, 4.0])]
    kept, optimizer = list(variables), tf.optimizers.SGD(0.1, momentum=0.9)
    for i in range(9):
        if i == 4:
            change(optimizer, variables)
        optimizer.apply_gradients([(tf.constant([0.1, 0.2, -0.3]) * (i + 1), v) for v in variables])
    return [v.numpy() for v in kept], int(optimizer.iterations)


@pytest.mark.parametrize("change", CHANGES)
def test_a_step_that_is_unlike_the_ones_before(change, monkeypatch, capfd):
    try:
        found, steps = changed_while_training(CHANGES[change])
        monkeypatch.setattr(
            "twinflow._src.train.optimizers.step.prepared", lambda optimizer, variables: None
        )
        np.testing.assert_array_equal(found, changed_while_training(CHANGES[change])[0])
    finally:
        tf.debugging.set_log_device_placement(False)
    assert steps == 9


@pytest.mark.parametrize(
    "made",
    [[None, [1.0]], [[[1.0]], [1.0]], ["rows", [1.0]], [[1.0], tf.constant([1.0], tf.float64)]],
)
def test_gradients_of_another_kind_after_usual_ones(made, monkeypatch):
    def trained():
        variables = [tf.Variable([1.0]), tf.Variable([2.0])]
        optimizer = tf.optimizers.Adagrad(0.1)
        for _ in range(3):
            optimizer.apply_gradients(zip([tf.constant([1.0])] * 2, variables, strict=True))
        rows = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([1]))
        last = [
            rows if isinstance(g, str) else g if g is None or tf.is_tensor(g) else tf.constant(g)
            for g in made
        ]
        try:
            with pytest.warns() if None in made else contextlib.nullcontext():
                optimizer.apply_gradients(zip(last, variables, strict=True))
        except tf.errors.InvalidArgumentError as error:
            return str(error)
        return [v.numpy().tolist() for v in variables]

    found = trained()
    monkeypatch.setattr(
        "twinflow._src.train.optimizers.step.prepared", lambda optimizer, variables: None
    )
    assert found == trained()


@pytest.mark.parametrize("name", CLASSES)
def test_updates_are_in_place(name):
    variable = tf.Variable(tf.zeros([1 << 22]))
    gradient = tf.ones([1 << 22])
    optimizer = getattr(tf.optimizers, name)(0.1)
    optimizer.apply_gradients([(gradient, variable)])
    before = variable._handle.array
    address = before.ctypes.data
    del before
    tracemalloc.start()
    optimizer.apply_gradients([(gradient, variable)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert variable._handle.array.ctypes.data == address
    assert peak < gradient.numpy().nbytes / 4


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.compat.v1.train.GradientDescentOptimizer(0.1),
        lambda: tf.compat.v1.train.AdamOptimizer(0.1),
        lambda: tf.compat.v1.train.RMSPropOptimizer(0.1, centered=True),
        lambda: tf.compat.v1.train.FtrlOptimizer(0.1),
        lambda: tf.compat.v1.train.ProximalAdagradOptimizer(0.1),
    ],
)
def test_updates_of_tensorflow_1_are_in_place(make):
    variable, gradient, optimizer = tf.Variable(tf.zeros([1 << 22])), tf.ones([1 << 22]), make()
    optimizer.apply_gradients([(gradient, variable)])
    address = variable._handle.array.ctypes.data
    tracemalloc.start()
    optimizer.apply_gradients([(gradient, variable)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert variable._handle.array.ctypes.data == address
    assert peak < gradient.numpy().nbytes / 4


def test_excluded_variables_do_not_decay_in_repeated_steps():
    one, two = tf.Variable([1.0], name="one"), tf.Variable([1.0], name="two")
    optimizer = tf.optimizers.AdamW(0.5, weight_decay=0.5)
    optimizer.exclude_from_weight_decay(var_names=["two"])
    for _ in range(4):
        optimizer.apply_gradients([(tf.zeros([1]), one), (tf.zeros([1]), two)])
    assert (one.numpy().tolist(), two.numpy().tolist()) == ([0.75**4], [1.0])


def test_a_value_that_was_read_stays():
    variable = tf.Variable([1.0, 2.0])
    read = variable.value()
    tf.optimizers.Adam(0.5).apply_gradients([(tf.ones([2]), variable)])
    np.testing.assert_array_equal(read.numpy(), [1.0, 2.0])


def test_optimizers_of_large_variables_work_piece_by_piece():
    size = (1 << 16) * 2 + 5
    start, slope = np.linspace(-1, 1, size, dtype="f4"), np.linspace(2, 3, size, dtype="f4")
    variable, optimizer = tf.Variable(start), tf.optimizers.SGD(0.1, momentum=0.5)
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant(slope), variable)])
    step = slope * np.float32(0.1)
    expected = start - step
    expected = expected + (-step * np.float32(0.5) - step)
    np.testing.assert_array_equal(variable.numpy(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_rate_of_adam_is_that_of_its_operations(dtype):
    adam = tf.keras.optimizers.Adam(0.001)
    for steps in (0, 1, 22, 999, 2**25 + 1):
        adam._iterations.assign(steps)
        rate = tf.constant(0.001, dtype)
        rest_1, rest_2 = adam._corrections(rate.dtype, 0.9, 0.999)
        expected = rate * tf.sqrt(rest_2) / rest_1
        (found,) = adam._step_numbers(rate, rate.dtype)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.numpy().tobytes() == expected.numpy().tobytes()


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_are_new_optimizers_with_the_settings(again):
    variable, first = tf.Variable([1.0, 2.0]), tf.keras.optimizers.Adam(0.25, beta_1=0.5)
    assert again(first).get_config() == first.get_config()
    first._iterations.assign(7)
    assert again(first).iterations.numpy() == 7  # nothing but what a new one has
    for _ in range(2):
        first.apply_gradients([(tf.constant([1.0, 1.0]), variable)])
    with pytest.warns(
        UserWarning, match="it has 2 variables whereas the saved optimizer has 4 variables"
    ):
        other = again(first)
    other.apply_gradients([(tf.constant([1.0, 1.0]), variable)])
    assert (other.iterations.numpy(), first.iterations.numpy()) == (1, 9)
    assert other.learning_rate.numpy() == 0.25


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_steps_with_the_same_variables_in_another_order(name):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    own = [tf.Variable(v), tf.Variable(w)]
    optimizer, other = (getattr(tf.optimizers, name)(0.5) for _ in range(2))
    one, two = tf.constant([0.1, -0.2]), tf.constant([3.0, 0.5])
    for turned in (False, False, True, True, False, True):
        optimizer.apply_gradients([(two, w), (one, v)] if turned else [(one, v), (two, w)])
        other.apply_gradients(zip([one, two], own, strict=True))
    assert (v.numpy().tolist(), w.numpy().tolist()) == tuple(x.numpy().tolist() for x in own)


class Told:
    """Keeps the operations that it is told of."""

    def __init__(self):
        self.ops = []

    def record(self, op, *_):
        self.ops.append(op.type)


@pytest.mark.parametrize("name", CLASSES)
def test_who_observes_steps_is_told_of_each(name):
    v, g = tf.Variable([1.0, 2.0]), tf.constant([0.1, -0.2])
    optimizer, steps = getattr(tf.optimizers, name)(0.5), []
    for round in range(5):
        told = Told()
        with entered(thread.scope.watched(told)) if round % 2 else contextlib.nullcontext():
            optimizer.apply_gradients([(g, v)])
        steps.append(told.ops)
    assert steps[1] == steps[3] and any("Read" not in op for op in steps[1])


@pytest.mark.parametrize(
    ("name", "args", "field", "wanted"),
    [
        ("GradientDescent", (0.1,), "_learning_rate", [0.0676, 0.1352]),
        ("Momentum", (0.1, 0.9), "_momentum", [0.566, 1.132]),
        ("Adam", (), "_lr", [0.27345, 1.26386]),
        ("Adam", (), "_epsilon", [0.99966, 1.99942]),
        ("Adagrad", (0.1,), "_initial_accumulator_value", [0.8389, 1.83265]),
        ("Adadelta", (), "_lr", [0.99967, 1.99967]),
        ("RMSProp", (0.1,), "_decay", [0.78099, 1.77112]),
        ("RMSProp", (0.1,), "_momentum", [0.62235, 1.46587]),
        ("Ftrl", (0.1,), "_l1_regularization_strength", [0.66846, 1.66809]),
        ("Ftrl", (0.1,), "_beta", [0.58421, 1.5375]),
        ("Ftrl", (0.1,), "_l2_shrinkage_regularization_strength", [0.62996, 1.61706]),
        ("ProximalGradientDescent", (0.1,), "_l1_regularization_strength", [0.5734, 1.2134]),
        ("ProximalAdagrad", (0.1,), "_learning_rate", [0.43805, 1.39774]),
    ],
)
def test_fields_that_programs_set(name, args, field, wanted):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        optimizer, v = getattr(v1.train, f"{name}Optimizer")(*args), v1.Variable([1.0, 2.0])
        setattr(optimizer, field, 0.37)
        step = optimizer.minimize(tf.reduce_sum(v * v))
        setattr(optimizer, field, 5.0)  # too late
        session.run(v1.global_variables_initializer())
        session.run(step)
        session.run(step)
        assert np.allclose(session.run(v), wanted, atol=2e-5)


def test_fields_hold_tensors_after_a_step():
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        optimizer = v1.train.AdamOptimizer(0.1)
        assert (optimizer._lr, optimizer._lr_t) == (0.1, None)
        optimizer.minimize(tf.reduce_sum(v1.Variable([1.0]) ** 2.0))
        assert optimizer._lr_t.name == "Adam/learning_rate:0"


@pytest.mark.parametrize(
    "name",
    [
        n
        for n in dir(tf.optimizers)
        if n[0].isupper() and n not in ("Optimizer", "LossScaleOptimizer")
    ],
)
def test_rows_of_another_width_are_refused(name):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    optimizer = getattr(tf.optimizers, name)()
    optimizer.build([v])
    for width in (1, 3):
        rows = tf.IndexedSlices(tf.ones([1, width]), tf.constant([0]), tf.constant([2, 2]))
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"must have its shape \(2,\), got"
        ):
            optimizer.apply_gradients([(rows, v)])
        with pytest.raises(ValueError, match=r"not compatible|must have its shape"):
            tf.function(lambda rows=rows: optimizer.apply_gradients([(rows, v)]))()
    assert v.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert int(optimizer.iterations) == 0
