"""The Python side of the R frontend, fed with what reticulate would send."""

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.r_bridge import from_r, generics, session, subset, to_r


def r_view(values, dtype=np.float64):
    """A read-only column-major view, as reticulate makes it of an R array."""
    view = np.asfortranarray(np.array(values, dtype=dtype)).view()
    view.flags.writeable = False
    return view


def test_scalars_have_the_types_of_r():
    assert from_r.tensor(1.0).dtype == tf.float64
    assert from_r.tensor(1).dtype == tf.int32
    assert from_r.tensor(True).dtype == tf.bool
    assert from_r.tensor(1j).dtype == tf.complex128
    assert from_r.tensor("é").numpy() == "é".encode()


def test_arrays_arrive_row_major_and_owned():
    view = r_view([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    x = from_r.tensor(view)
    assert x.numpy().tolist() == view.tolist()
    assert x._array.flags.c_contiguous and x._array.base is None
    assert not np.shares_memory(x._array, view)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        ([1.9, -1.9], "int32", [1, -1]),
        ([300.0, -1.0], "uint8", [255, 0]),
        ([2.0**40], "int64", [2**40]),
        ([1e300], "int64", [2**63 - 1]),
        ([-1e300], "int64", [-(2**63)]),
        ([0.0, 2.0], "bool", [False, True]),
        ([1.0, 2.0], "float16", [1.0, 2.0]),
    ],
)
def test_dtype_saturates(value, dtype, expected):
    assert from_r.tensor(r_view(value), dtype).numpy().tolist() == expected


def test_large_doubles_become_the_largest_float32():
    assert from_r.tensor(1e300, "float32").numpy() == np.finfo(np.float32).max
    largest = float(np.finfo(np.float32).max)
    made = from_r.tensor(r_view([np.inf, -np.inf, -1e300, 1.0]), "float32")
    assert made.numpy().tolist() == [np.inf, -np.inf, -largest, 1.0]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_values_do_not_become_integers(value):
    with pytest.raises(session.RError, match="NA values"):
        from_r.tensor(r_view([1.0, value]), "int32")


def test_integer_na_becomes_nan_in_a_float_tensor():
    x = from_r.tensor(r_view([1, from_r.INT_NA], np.int32), "float64")
    assert np.isnan(x.numpy()[1])


def test_shape_is_filled_row_by_row():
    view = r_view([[1, 3, 5], [2, 4, 6]], np.int32)
    assert from_r.tensor(view, None, [3, 2]).numpy().tolist() == [[1, 3], [5, 2], [4, 6]]
    assert from_r.tensor(view, None, [None, 2]).shape.as_list() == [3, 2]
    assert from_r.tensor(0.0, None, [2, 3]).numpy().tolist() == [[0.0] * 3] * 2
    with pytest.raises(ValueError, match=r"cannot reshape array of size 6 into shape \(4,2\)"):
        from_r.tensor(view, None, [4, 2])


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "bool", "complex64", "bfloat16"])
@pytest.mark.parametrize("shape", [(5000,), (600, 700), (3, 40, 50)])
def test_copy_into_writes_column_major(dtype, shape):
    values = (np.arange(np.prod(shape)).reshape(shape) % 100).astype(np.float64)
    x = tf.cast(tf.constant(values), dtype)
    dims, kind, nothing, _ = to_r.as_r(x)
    assert dims == list(shape) and nothing is None
    out = np.zeros(shape, to_r._R_DTYPES[kind], order="F")
    to_r.copy_into(x, out)
    assert np.array_equal(out, x.numpy().astype(out.dtype))


@pytest.mark.parametrize(
    "shape",
    [
        (600, 500),
        (300000, 1),
        (1, 300001),
        (150000, 2),
        (9000, 30),
        (2, 150000),
        (70, 5, 1000),
        (7,) * 7,
        (2,) * 18 + (3,),
    ],
)
@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", "bfloat16", "bool", "uint8", "int32", "complex64"]
)
def test_large_arrays_are_turned_to_the_bit(dtype, shape):
    size = int(np.prod(shape))
    x = tf.cast(tf.reshape(tf.range(size) % 201, shape), dtype)
    kind = {"f": "f8", "c": "c16", "V": "f8"}.get(x.numpy().dtype.kind, "i4")
    out = np.zeros(shape, kind, order="F")
    to_r.copy_into(x, out)
    assert (out == x.numpy().astype(kind)).all()
    back = from_r.tensor(out)
    assert back.numpy().flags.c_contiguous and (back.numpy() == out).all()


def test_small_tensors_travel_as_flat_columns():
    dims, kind, values, _ = to_r.as_r(tf.constant([[1, 2], [3, 4]]))
    assert (dims, kind, values.tolist()) == ([2, 2], "integer", [1, 3, 2, 4])
    assert to_r.as_r(tf.constant(["a", "b"])) == [[2], "character", ["a", "b"], False]


def test_limits_are_r_numbers():
    assert to_r.limit(tf.int64, "max") == float(2**63 - 1)
    assert isinstance(to_r.limit(tf.int64, "max"), float)
    assert to_r.limit(tf.int32, "max") == 2**31 - 1
    assert isinstance(to_r.limit(tf.int32, "max"), int)
    assert isinstance(to_r.r_number(2**31), float)
    assert isinstance(to_r.limit(tf.int32, "min"), float), "as an integer of R it would be missing"


def test_integers_that_r_has_no_room_for_are_doubles():
    dims, kind, values, _ = to_r.as_r(tf.constant([2**32 - 1, 1], tf.uint32))
    assert (dims, kind, values.tolist()) == ([2], "double", [2**32 - 1, 1])
    assert to_r.as_r(tf.constant([1], tf.uint16))[1] == "integer"


@pytest.mark.parametrize("value", [0.5, np.nan, 3e9, 1j])
def test_operands_that_would_change_are_errors(value):
    add = generics.verb("math.add", "binary")
    with pytest.raises(session.RError, match="exactly"):
        add(tf.constant([1, 2]), value)


def test_operators_take_r_values_on_either_side():
    subtract = generics.verb("math.subtract", "binary")
    x = tf.constant([1.0, 2.0], tf.float64)
    assert subtract(x, 1).numpy().tolist() == [0.0, 1.0]
    assert subtract(1.0, x).numpy().tolist() == [0.0, -1.0]
    assert subtract(x, r_view([1.0, 1.0])).numpy().tolist() == [0.0, 1.0]


def take(*items, size=10, drop=True):
    x = tf.range(1, size + 1)
    return subset.extract(x, list(items), 7 + 8 * drop).numpy().tolist()


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (1, 1),
        (-2, 9),
        (-10, 1),
        ([-10, -9, None], [1, 2]),
        ([2, 4, None], [2, 3, 4]),
        ([3, 1, None], [3, 2, 1]),
        ([10, 1, -2], [10, 8, 6, 4, 2]),
        ([2, -2, None], [2, 3, 4, 5, 6, 7, 8, 9]),
        ([-1, -3, None], [10, 9, 8]),
        ([8, None, None], [8, 9, 10]),
        ([None, 3, None], [1, 2, 3]),
        ([None, None, 4], [1, 5, 9]),
    ],
)
def test_extraction_counts_from_one(item, expected):
    assert take(item) == expected


@pytest.mark.parametrize("item", [0, 11, -11, [2, 11, None], [0, 3, None]])
def test_extraction_checks_bounds(item):
    with pytest.raises(session.RError, match="out of bounds"):
        take(item)


def test_masks_after_all_dims_are_of_the_last_ones():
    x, mask = tf.reshape(tf.range(12), [2, 2, 3]), tf.constant([True, False, True])
    assert subset.extract(x, [..., mask], 15).numpy().tolist() == x.numpy()[..., [0, 2]].tolist()
    first = tf.constant([False, True])
    assert (
        subset.extract(x, [first, ..., mask], 15).numpy().tolist()
        == x.numpy()[1:, :, [0, 2]].tolist()
    )


def test_drop_keeps_the_dim():
    assert take(10, drop=False) == [10]
    assert take(-1, drop=False) == [10]


def test_r_is_asked_to_collect_and_to_warn():
    one, asked, said = session.Session(), [], []
    one.collect, one.warn = lambda: asked.append(1), said.append
    one.count(one.limit)
    assert not asked
    one.count(1)
    assert asked == [1] and one.bytes == 0
    one.warning("careful")
    assert said == ["careful"]


@pytest.mark.parametrize(
    ("x", "y", "shape"),
    [((2, 2), (2,), (2, 1)), ((2,), (2, 2), (1, 2)), ((3,), (3,), (1, 1)), ((3,), (1, 2), (3, 2))],
)
def test_matmul_makes_a_vector_fit(x, y, shape):
    assert generics.matmul(tf.ones(x), tf.ones(y)).numpy().shape == shape


def test_a_variable_is_read_once_on_its_way_to_r(capsys):
    v = tf.Variable([1.0, 2.0])
    tf.debugging.set_log_device_placement(True)
    try:
        to_r.as_r(v)
    finally:
        tf.debugging.set_log_device_placement(False)
    assert capsys.readouterr().out.count("Executing op ReadVariableOp") == 1
