"""Optimizers, counters of steps and devices of ``tf.compat.v1.train`` beside TensorFlow's answers."""

import pytest

import twinflow as tf

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as found:
        yield found


# Three steps of the optimizer with a dense gradient and with one of rows.
FTRL = [
    ({}, [0.04446, -0.87147, -0.22584], [0.12582, -0.92254]),
    (
        {"l2_shrinkage_regularization_strength": 0.2},
        [-0.01493, -0.70794, -0.25099],
        [0.08941, -0.84028],
    ),
    ({"beta": 0.3}, [0.05037, -0.82456, -0.156], [0.12795, -0.89585]),
    (
        {
            "beta": 0.3,
            "l1_regularization_strength": 0.1,
            "l2_regularization_strength": 0.2,
            "l2_shrinkage_regularization_strength": 0.1,
        },
        [0.01751, -0.71777, -0.13556],
        [0.1075, -0.83639],
    ),
]


@pytest.mark.parametrize("rate", [0.5, lambda: 0.5])
@pytest.mark.parametrize(("options", "dense", "rows"), FTRL)
def test_ftrl(options, dense, rows, rate):
    v, w = v1.Variable([1.0, -2.0, 0.0]), v1.Variable([[1.0, -2.0], [3.0, 0.0]])
    optimizer = v1.train.FtrlOptimizer(rate, **options)
    steps = [
        optimizer.minimize(tf.reduce_sum(v**2 + v * 0.3)),
        optimizer.minimize(tf.reduce_sum(tf.gather(w, [0, 0]) ** 2)),
    ]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        for _ in range(3):
            session.run(steps)
        found, table = session.run([v, w])
    assert found.tolist() == pytest.approx(dense, abs=1e-5)
    assert table.tolist() == [pytest.approx(rows, abs=1e-5), [3.0, 0.0]]


@pytest.mark.parametrize(
    "name",
    [
        "initial_accumulator_value",
        "l1_regularization_strength",
        "l2_shrinkage_regularization_strength",
    ],
)
def test_ftrl_refuses_numbers_of_the_wrong_sign(name):
    with pytest.raises(ValueError, match=f"{name} -1.000000 needs to be positive or zero"):
        v1.train.FtrlOptimizer(0.5, **{name: -1.0})
    with pytest.raises(
        ValueError, match=r"learning_rate_power 0.400000 needs to be negative or zero"
    ):
        v1.train.FtrlOptimizer(0.5, learning_rate_power=0.4)


@pytest.mark.parametrize("use_resource", [False, True])
def test_an_imported_step_of_dual_averaging_takes_the_counter_as_it_is(graph, use_resource):
    v = v1.Variable([1.0, -2.0], use_resource=use_resource, name="v")
    counter = v1.train.get_or_create_global_step()
    optimizer = v1.train.AdagradDAOptimizer(0.5, counter, 0.1, 0.1, 0.1)
    step = optimizer.apply_gradients([(tf.constant([0.5, 0.25]), v)], counter)
    node = next(n for n in graph.get_operations() if n.type.endswith("ApplyAdagradDA"))
    assert node.inputs[-1].dtype.base_dtype is tf.int64
    fetches = v1.global_variables_initializer().name, step.name, v.read_value().name
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(graph.as_graph_def(), name="")
        session.run(fetches[0])
        for _ in range(2):
            session.run(fetches[1])
        found = session.run(fetches[2])
    with v1.Session() as session:
        session.run(fetches[0])
        for _ in range(2):
            session.run(fetches[1])
        assert session.run(fetches[2]).tolist() == found.tolist() != [1.0, -2.0]


def test_names_of_what_ftrl_keeps():
    v, optimizer = v1.Variable([1.0]), v1.train.FtrlOptimizer(0.5, accum_name="A", linear_name="L")
    optimizer.minimize(tf.reduce_sum(v))
    assert [x.name for x in optimizer.variables()] == ["Variable/A:0", "Variable/L:0"]


def test_adam_gives_its_powers():
    optimizer = v1.train.AdamOptimizer()
    optimizer.minimize(v1.Variable(1.0) ** 2)
    assert [v.name for v in optimizer._get_beta_accumulators()] == [
        "beta1_power:0",
        "beta2_power:0",
    ]


# ------------------------------------------------------------------ the number of steps


def test_the_counter_is_an_integer_scalar(graph):
    assert v1.train.get_global_step() is None
    v1.add_to_collection("global_step", v1.Variable(1.0, name="gs"))
    for function in (
        v1.train.get_global_step,
        v1.train.get_or_create_global_step,
        v1.train.create_global_step,
    ):
        with pytest.raises(TypeError, match='Existing "global_step" does not have integer type'):
            function()


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (3, "must be a Variable or Tensor: 3."),
        ("a", "must be a Variable or Tensor: a."),
        (None, "must be a Variable"),
    ],
)
def test_what_is_no_counter(step, message):
    with pytest.raises(TypeError, match=message):
        v1.train.assert_global_step(step)


def test_the_counter_is_found_by_its_name(graph):
    step = v1.placeholder(tf.int64, name="global_step")
    assert v1.train.get_global_step() is step


def test_several_counters_are_none():
    step = v1.train.create_global_step()
    v1.add_to_collection("global_step", step)
    assert v1.train.get_global_step() is None


# ------------------------------------------------------------------ devices

PS = {"ps": ["a:1", "b:1"], "worker": ["c:1"]}


@pytest.mark.parametrize(
    ("options", "devices"),
    [
        ({"cluster": PS}, ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0", "/job:worker"]),
        (
            {"cluster": tf.train.ClusterSpec(PS)},
            ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0", "/job:worker"],
        ),
        ({"cluster": {"worker": ["c:1"]}}, [""] * 4),
        ({"cluster": PS, "ps_device": "/job:other"}, [""] * 4),
        ({"ps_tasks": 1, "ps_device": "/job:q/task:7"}, ["/job:q/task:0"] * 3 + ["/job:worker"]),
    ],
)
def test_devices_of_servers(options, devices):
    with v1.device(v1.train.replica_device_setter(**options)):
        found = [v1.Variable(1.0) for _ in range(3)]
        found.append(found[0] + 1.0)
    assert [x.device for x in found] == devices


def test_bad_descriptions_of_servers():
    with pytest.raises(TypeError, match="`cluster` must be a dictionary"):
        v1.train.replica_device_setter(cluster=3)
    with pytest.raises(TypeError, match="ps_strategy must be callable"):
        v1.train.replica_device_setter(2, ps_strategy=3)


def test_types_of_drawn_classes():
    logits = tf.math.log([[0.1, 0.9]])
    assert (
        v1.random.stateless_multinomial(logits, 5, seed=[1, 2], output_dtype=tf.int32).dtype
        is tf.int32
    )
    assert v1.random.stateless_multinomial(logits, 5, [1, 2]).dtype is tf.int64


def test_variables_to_train_come_in_structures():
    with tf.Graph().as_default(), v1.Session() as session:
        weights = {"a": v1.get_variable("a", [], initializer=v1.ones_initializer())}
        weights["b"] = v1.get_variable("b", [], initializer=v1.ones_initializer())
        loss = 3.0 * weights["a"] + weights["b"]
        for variables in (weights.values(), weights, [[weights["a"]], weights["b"]]):
            step = v1.train.GradientDescentOptimizer(1.0).minimize(loss, var_list=variables)
            session.run(v1.global_variables_initializer())
            session.run(step)
            assert session.run(weights) == {"a": -2.0, "b": 0.0}
