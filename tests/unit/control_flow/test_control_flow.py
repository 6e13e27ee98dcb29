"""Branches and loops of graphs: what they give, and derivatives of any order, beside eager Python."""

import collections
import re

import numpy as np
import pytest

import twinflow as tf


def both(function, *arguments):
    """Returns what a function gives eagerly and traced."""
    values = [tf.constant(a) for a in arguments]
    return function(*values), tf.function(function)(*values)


def same(eager, traced):
    for one, other in zip(tf.nest.flatten(eager), tf.nest.flatten(traced), strict=True):
        if one is None or other is None:  # a branch that was not taken counts with zeros in a graph
            assert one is other or not np.any(np.asarray(other if one is None else one))
            continue
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-6)
        assert one.dtype == other.dtype


def branch(x):
    if x > 0:
        return x * x * x
    return -x * x


def chosen(x):
    return tf.switch_case(tf.cast(x, tf.int32), [lambda: x, lambda: x * x, lambda: tf.sin(x)])


def loop(x):
    y = x
    for _ in tf.range(3):
        y = tf.sin(y) * x
    return y


def branch_in_loop(x):
    y = x
    i = 0
    while i < 4:
        if y > 1.0:
            y = y * 0.5 * x
        else:
            y = y * 3.0
        i += 1
    return y


def loop_in_branch(x):
    y = x
    if x > 0:
        for _ in tf.range(2):
            y = y * x
    else:
        y = y * 2.0
    return y


def loop_in_loop(x):
    y = x
    for _ in tf.range(2):
        for _ in tf.range(2):
            y = y * x
        y = y + 1.0
    return y


def scanned(x):
    return tf.scan(lambda a, b: a * b + x, tf.stack([x, x + 1.0, x * x]))[-1]


def mapped(x):
    return tf.reduce_sum(tf.map_fn(lambda v: v * v * x, tf.stack([x, x * 2.0])))


def in_array(x):
    array = tf.TensorArray(tf.float64, size=3)
    for i in tf.range(3):
        array = array.write(i, x ** tf.cast(i + 1, tf.float64))
    return tf.reduce_sum(array.stack() * array.stack())


class Holder:
    """An object with attributes."""


def in_attributes(x):
    holder, found = Holder(), {"a": x, "list": [x, x]}
    holder.inner = Holder()
    holder.inner.value = x
    if x > 1.0:
        holder.inner.value = x * x
        found["list"][0] = x * 3.0
    elif x > 0:
        found["a"] *= 2.0
    for _ in tf.range(2):
        holder.inner.value += x
        found["a"] = found["a"] * holder.inner.value
    return holder.inner.value * found["a"] + found["list"][0]


FUNCTIONS = [
    in_attributes,
    branch,
    chosen,
    loop,
    branch_in_loop,
    loop_in_branch,
    loop_in_loop,
    scanned,
    mapped,
    in_array,
]
POINTS = [0.7, 1.3, 2.0]


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_values(function, point):
    same(*both(function, np.float64(point)))


def derivatives(function, order):
    """The derivatives of a function of a scalar up to an order."""

    def found(x):
        tapes = [tf.GradientTape() for _ in range(order)]
        for tape in tapes:
            tape.__enter__()
            tape.watch(x)
        values = [function(x)]
        for tape in reversed(tapes):
            tape.__exit__(None, None, None)
            values.append(tape.gradient(values[-1], x))
        return values

    return found


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_inside_a_function(function, point, order):
    same(*both(derivatives(function, order), np.float64(point)))


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_around_a_function(function, point):
    x = tf.constant(point, tf.float64)
    eager = derivatives(function, 2)(x)
    traced = derivatives(tf.function(function), 2)(x)
    same(eager, traced)


@pytest.mark.parametrize("point", [0.7, 1.3])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_against_differences(function, point):
    step = 1e-6
    higher, lower = (float(function(tf.constant(point + s, tf.float64))) for s in (step, -step))
    gradient = tf.function(derivatives(function, 1))(tf.constant(point, tf.float64))[1]
    np.testing.assert_allclose(float(gradient), (higher - lower) / (2 * step), rtol=1e-6)


def test_variables_in_loops_and_branches():
    w = tf.Variable(1.5)

    def step(x):
        with tf.GradientTape() as tape:
            y = x
            for i in tf.range(3):
                if i > 0:
                    y = y * w
                else:
                    y = y + w
        return tape.gradient(y, [w, x])

    x = tf.constant(2.0)
    eager, traced = step(x), tf.function(step)(x)
    assert traced[1] is None
    assert eager[1] is None
    assert float(eager[0]) == float(traced[0])


def test_random_numbers_of_a_loop_are_those_of_its_gradient():
    """The gradient of a loop reuses the random numbers of the forward loop."""

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, factors = x, tf.ones([])
            for _ in tf.range(4):
                factor = tf.random.uniform([])
                y, factors = y * factor, factors * factor
        return tape.gradient(y, x), factors

    gradient, factors = step(tf.constant(3.0))
    assert float(gradient) == pytest.approx(float(factors), rel=1e-6)


def test_a_branch_with_effects_runs_them_only_if_chosen():
    count = tf.Variable(0)

    @tf.function
    def step(x):
        if x > 0:
            count.assign_add(1)
        return count.read_value()

    assert [int(step(tf.constant(v))) for v in (1, -1, 2)] == [1, 1, 2]


def test_shapes_may_change_where_that_is_said():
    @tf.function
    def grown(x):
        for _ in tf.range(3):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, x], 0)
        return x

    assert grown(tf.constant([1])).shape == [8]
    with pytest.raises(
        ValueError, match="has shape \\(1,\\) before the loop, but shape \\(2,\\) after one"
    ):
        tf.function(doubling)(tf.constant([1]))


def doubling(x):
    for _ in tf.range(3):
        x = tf.concat([x, x], 0)
    return x


def test_an_attribute_is_to_be_set_in_both_branches():
    holder = Holder()

    @tf.function
    def one_sided(x):
        if x > 0:
            holder.value = x
        return holder.value

    with pytest.raises(
        ValueError, match=r"'holder\.value' must also be initialized in the else branch"
    ):
        one_sided(tf.constant(1.0))


def test_attributes_that_python_branches_set_are_left_alone():
    class Watched:
        """Counts how often an attribute is set."""

        def __init__(self):
            object.__setattr__(self, "count", 0)

        def __setattr__(self, name, value):
            object.__setattr__(self, "count", self.count + 1)
            object.__setattr__(self, name, value)

    @tf.function
    def plain(watched, x, often):
        while often > 0:
            watched.value = x
            often -= 1
        if often == 0:
            watched.value = x
        return x

    watched = Watched()
    plain(watched, tf.constant(1.0), 2)
    assert watched.count == 3


def test_branches_that_end_with_an_operation_give_the_condition(capfd):
    @tf.function
    def told(x):
        return tf.cond(x > 0, lambda: tf.print("more"), lambda: tf.no_op())

    assert bool(told(tf.constant(1.0)))
    assert not bool(told(tf.constant(-1.0)))
    assert capfd.readouterr().err == "more\n"


set_options = tf.autograph.experimental.set_loop_options


def limited(n):
    total = 0
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(maximum_iterations=n - 2)
        total += i
    return total


def limited_by_another_name(n):
    total = 0
    for i in tf.range(n):
        set_options(maximum_iterations=2)
        total += i
    return total


def limited_from_around(n):
    options, told = {"maximum_iterations": n - 1}, set_options

    def inner():
        total = 0
        for i in tf.range(n):
            told(**options)
            total += i
        return total

    return inner()


def limited_each(n):
    total = tf.constant(0)
    for _ in tf.range(n):
        for j in tf.range(n):
            set_options(maximum_iterations=n - 3)
            total += j
        set_options(maximum_iterations=n - 4)
    return total


def limited_with_a_break(n):
    total = 0
    for i in tf.range(n):
        if i > 2:
            break
        set_options(maximum_iterations=n - 3)
        total += i
    return total


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (limited, 3),
        (limited_by_another_name, 1),
        (limited_from_around, 6),
        (limited_each, 1),
        (limited_with_a_break, 1),
    ],
)
def test_options_of_a_loop_are_evaluated_before_it(function, expected):
    assert int(tf.function(function)(tf.constant(5))) == expected


def test_options_have_no_effect_elsewhere():
    def loop(n):
        total = 0
        for i in range(n):
            set_options(maximum_iterations=2)
            total += i
        return total

    assert loop(5) == int(tf.function(loop)(5)) == 10


def test_options_do_not_see_the_body():
    @tf.function
    def loop(n):
        for i in tf.range(n):
            count = i
            set_options(maximum_iterations=count)
        return n

    with pytest.raises(UnboundLocalError, match="'count' is used before assignment"):
        loop(tf.constant(5))


def test_each_loop_has_jumps_of_its_own():
    @tf.function
    def broken(n):
        total = 0
        for i in tf.range(n):
            for j in tf.range(5):
                if j > i:
                    break
                total += j
            if i > 3:
                break
        return total

    @tf.function
    def continued(n):
        total = 0
        for i in tf.range(n):
            for j in tf.range(4):
                if j != 1:
                    continue
                total += 10 * j
            if i == 2:
                continue
            total += i
        return total

    assert broken(tf.constant(7)).numpy() == broken.python_function(7) == 20
    assert continued(tf.constant(5)).numpy() == continued.python_function(5) == 58


def test_functions_read_what_branches_and_loops_set():
    @tf.function
    def after(x):
        k = 1.0

        def more(v):
            return v + k

        if x > 0:
            k = 2.0
        return more(x)

    @tf.function
    def within(x):
        k = 1.0

        def more(v):
            return v + k

        if x > 0:
            k = 2.0
            y = more(x)
        else:
            y = more(x)
        return y

    @tf.function
    def looped(n):
        k = 0

        def more(v):
            return v + k

        for i in tf.range(n):
            k = i
        return more(n)

    for f in (after, within):
        assert [f(tf.constant(x)).numpy() for x in (3.0, -3.0)] == [5.0, -2.0]
    assert looped(tf.constant(3)).numpy() == 5


def test_the_last_branch_is_for_every_other_number():
    choose = tf.function(lambda i: tf.switch_case(i, [lambda: 10, lambda: 20, lambda: 30]))
    assert [choose(tf.constant(i)).numpy() for i in (0, 1, 2, 3, -1, -7)] == [
        10,
        20,
        30,
        30,
        30,
        30,
    ]


# ------------------------------------------------------------------ what loops in graphs refuse

SCALAR = tf.TensorShape([])
GRAPH_LOOPS = {
    "traced": lambda f: tf.function(f, autograph=False),
    "session": lambda f: lambda: _in_session(f),
}


def _in_session(f):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return session.run(f())


@pytest.fixture(params=GRAPH_LOOPS)
def in_graph(request):
    return GRAPH_LOOPS[request.param]


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        (
            {"body": lambda i, x: (i + 1, tf.cast(x, tf.int32))},
            TypeError,
            "enters the loop with type <dtype: 'float32'> but has type <dtype: 'int32'> after 1 iteration. "
            "Const_1:0 type should remain constant.",
        ),
        (
            {"shape_invariants": (SCALAR,)},
            ValueError,
            "The two structures don't have the same number of elements.",
        ),
        ({"shape_invariants": [SCALAR, SCALAR]}, TypeError, "don't have the same sequence type."),
        (
            {"shape_invariants": ([], [])},
            ValueError,
            'Substructure "type=list str=[]" is a sequence, while',
        ),
        (
            {"shape_invariants": (SCALAR, 3)},
            TypeError,
            "'shape' must be one of TypeSpec, TensorShape or None.",
        ),
        (
            {"shape_invariants": (tf.TensorSpec([]), tf.TensorSpec([]))},
            TypeError,
            "TypeSpec TensorSpec(shape=(), dtype=tf.float32, name=None) is not compatible with",
        ),
        ({"maximum_iterations": 2.0}, TypeError, "Expected int32, but got 2.0 of type 'float'."),
        (
            {"maximum_iterations": tf.constant(2, tf.int64)},
            ValueError,
            "maximum_iterations: Tensor conversion requested dtype int32 for Tensor with dtype int64",
        ),
        (
            {"maximum_iterations": [2]},
            tf.errors.InvalidArgumentError,
            "The second input must be a scalar, but it has shape [1]",
        ),
    ],
)
def test_loops_in_graphs_refuse(in_graph, change, kind, said):
    given = {
        "cond": lambda i, _: i < 3,
        "body": lambda i, x: (i + 1, x),
        "loop_vars": (0, 2.0),
    } | change
    with pytest.raises(kind, match=re.escape(said)):
        in_graph(lambda: tf.while_loop(**given))()


def test_invariants_of_composite_loop_variables(in_graph):
    sparse = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    loop = lambda value, shape: tf.while_loop(
        lambda i, _: i < 2, lambda i, x: (i + 1, x), (0, value), shape_invariants=(SCALAR, shape)
    )[0]
    with pytest.raises(
        ValueError, match=r"Expected a shape with 1 dimension. Obtained: \(None, 2\) which has 2"
    ):
        in_graph(lambda: loop(sparse, tf.TensorShape([None, 2])))()
    with pytest.raises(
        TypeError, match=r"RaggedTensorSpec.*tf.int32, 1, tf.int64\) is not compatible with"
    ):
        in_graph(
            lambda: loop(tf.ragged.constant([[1.0]]), tf.RaggedTensorSpec([None, None], tf.int32))
        )()
    longer = lambda: (
        tf.while_loop(
            lambda i, _: i < 2,
            lambda i, x: (i + 1, tf.concat([x, x], 0)),
            (0, tf.ragged.constant([[1.0], [2.0, 3.0]])),
            shape_invariants=(SCALAR, tf.TensorShape([None, None])),
        )[1].flat_values
    )
    assert len(np.asarray(in_graph(longer)())) == 12


def test_loops_without_variables_in_graphs():
    v = tf.Variable(0)

    @tf.function(autograph=False)
    def f():
        tf.while_loop(lambda: v < 3, lambda: [v.assign_add(1), []][1], [])
        return v.read_value()

    assert f().numpy() == 3
    with pytest.raises(ValueError, match=r"'loop_vars' must be provided\."):
        tf.while_loop(lambda: v < 3, lambda: [], [])


def test_named_loop_variables_keep_their_class():
    Pair = collections.namedtuple("Pair", "i x")
    kinds = []

    def f():
        found = tf.while_loop(lambda i, _: i < 3, lambda i, x: (i + 1, x), Pair(0, 1.0))
        kinds.append(type(found))
        return found.i

    assert tf.function(f, autograph=False)().numpy() == 3 and kinds == [Pair]


@pytest.mark.parametrize("size", [2, np.int64(2), np.array(2), tf.constant(2)])
def test_sizes_of_tensor_arrays(size):
    for way in (lambda f: f, tf.function):
        assert int(way(lambda: tf.TensorArray(tf.float32, size).size())()) == 2


def test_tensor_arrays_need_a_size():
    with pytest.raises(ValueError, match="Size must be declared"):
        tf.TensorArray(tf.float32, dynamic_size=True)
    with pytest.raises(ValueError, match="Argument `size` must be provided"):
        tf.function(lambda: tf.TensorArray(tf.float32, dynamic_size=True).size())()
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        tf.TensorArray(tf.float32, 2.0)


def test_constants_of_a_body_are_not_saved_for_the_gradient():
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            _, y = tf.while_loop(
                lambda i, _: i < 3,
                lambda i, y: (i + 1, tf.concat(tf.split(y + y, 2, axis=1), axis=1)),
                (0, x),
            )
        return tape.gradient(y, x)

    x = tf.ones([2, 4])
    assert (slope(x).numpy() == 8.0).all()
    loops = [n for n in slope.get_concrete_function(x).graph.get_operations() if "While" in n.type]
    lists = [t for node in loops for t in node.outputs if t.dtype == tf.variant]
    assert len(loops) == 2 and lists == []


def test_slices_of_branches_have_common_indices():
    """Indices are int64 where a branch has them, as in Keras' sums of gradients of embeddings."""

    def slices(dtype, value):
        return tf.IndexedSlices(
            tf.fill([2, 3], value), tf.constant([0, 1], dtype), tf.constant([4, 3])
        )

    @tf.function
    def choose(first):
        mixed = tf.cond(
            first, lambda: [slices(tf.int64, 1.0), 5], lambda: [slices(tf.int32, 2.0), 6]
        )
        same = tf.cond(first, lambda: slices(tf.int32, 1.0), lambda: slices(tf.int32, 2.0))
        last = tf.switch_case(
            tf.constant(1), [lambda: slices(tf.int32, 1.0), lambda: slices(tf.int64, 2.0)]
        )
        return mixed, same, last

    for first, value, number in ((True, 1.0, 5), (False, 2.0, 6)):
        (mixed, count), same, last = choose(tf.constant(first))
        assert (mixed.indices.dtype, mixed.values[0, 0], count) == (tf.int64, value, number)
        assert mixed.indices.numpy().tolist() == [0, 1]
        assert (same.indices.dtype, last.indices.dtype) == (tf.int32, tf.int64)


def test_gather_in_a_function_reads_only_the_elements_it_names():
    @tf.function
    def chosen(x, indices):
        array = tf.TensorArray(tf.float32, size=3, clear_after_read=False)
        array = array.unstack(x)
        return array.gather(indices)

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = chosen(x, tf.constant([2, 1, 2]))
    assert y.numpy().tolist() == [3.0, 2.0, 3.0]
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 1.0, 2.0]
    for index in (-1, 3):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=rf"Index {index} out o range; list only has 3 elements\.",
        ):
            chosen(x, tf.constant([index]))
