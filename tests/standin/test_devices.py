"""Devices, memory and exchange with stand-ins for GPUs. Logic only."""

import contextlib
import gc
import io
import re

import numpy as np
import pytest

import twinflow as tf
from tests.harness import in_new_python
from tests.standin import cuda, gpus, journal
from tests.standin.journal import kinds, waits
from tests.standin.process import present
from twinflow._src.backends.gpu import device

CPU, FIRST, SECOND = (
    f"/job:localhost/replica:0/task:0/device:{name}" for name in ("CPU:0", "GPU:0", "GPU:1")
)
CPU_ONLY = tf.config.list_physical_devices("CPU")


def place_of(*tensors):
    return [t.device for t in tensors]


# ------------------------------------------------------------------ where things are


def test_axes_are_read_on_the_host_however_they_are_given():
    values = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    with gpus(1), journal.read() as events:
        x = tf.constant(values)
        for axis in (
            1,
            [1],
            np.int64(1),
            tf.constant(1),
            tf.constant([1], tf.int64),
            (0, 1),
            [-1, 0],
            [],
            None,
        ):
            given = None if axis is None else tuple(np.ravel(np.array(axis, np.int64)).tolist())
            for _ in range(2):
                found = tf.reduce_sum(x, axis=axis)
                assert found.device == FIRST and found.shape == values.sum(given).shape
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.reduce_sum(x, [0, -2])
        # an axis that was on the device
        assert sum(event.kind == "down" for event in events) <= 4


def test_numbers_that_kernels_read_do_not_go_to_the_device_and_back():
    with gpus(1):
        with journal.read() as events:
            found = tf.range(0.0, 3.0), tf.range(0.0, 10, 2), tf.random.uniform([3], 0, 9, tf.int32)
        assert place_of(*found) == [FIRST] * 3 and not waits(events)
        assert (
            found[1].numpy().tolist() == [0.0, 2.0, 4.0, 6.0, 8.0] and found[1].dtype is tf.float32
        )


def test_steps_of_functions_find_their_arrays_wherever_they_are():
    with gpus(1):
        v = tf.Variable([1.0, 2.0])
        step = tf.function(lambda x: tf.tanh(x * v + 1.0))
        with tf.device("CPU:0"):
            there = tf.constant([3.0, 4.0])
        here = tf.identity(there)
        found = [step(x) for x in (here, there, here, there, here)]
        assert place_of(*found) == [FIRST] * 5
        for y in found:
            np.testing.assert_allclose(y.numpy(), np.tanh([4.0, 9.0]), rtol=1e-6)


def test_a_value_that_is_assigned_is_copied_once_and_stays_apart():
    with gpus(1):
        v, x = tf.Variable([1.0, 2.0]), tf.constant([3.0, 4.0])
        v.assign(x)
        v.assign_add(x)
        assert v.numpy().tolist() == [6.0, 8.0] and x.numpy().tolist() == [3.0, 4.0]
        assert v.assign(x).name == "UnreadVariable" and v.assign(x, read_value=False) is None


def test_the_fastest_device_first():
    with gpus(2):
        x = tf.constant([1.0, 2.0])
        assert (
            place_of(x, x * 2.0, tf.zeros([3]), tf.Variable(x), tf.random.normal([2]))
            == [FIRST] * 5
        )
        assert [d.name for d in tf.config.list_logical_devices()] == [
            "/device:CPU:0",
            "/device:GPU:0",
            "/device:GPU:1",
        ]
        assert tf.test.gpu_device_name() == "/device:GPU:0" and tf.test.is_gpu_available()


def test_what_steers_shapes_stays_on_the_host():
    with gpus(1), journal.read() as events:
        sizes = tf.constant([2, 3])
        x = tf.ones([6])
        assert place_of(sizes, sizes + 1, tf.shape(x), tf.range(3), tf.size(x)) == [CPU] * 5
        y = tf.reshape(x, sizes)
        z = tf.transpose(tf.tile(tf.reshape(y, tf.shape(y)[::-1]), [1, 2]), [1, 0])
        assert place_of(y, z, tf.reduce_sum(z, axis=tf.constant(0))) == [FIRST] * 3
        assert waits(events) == []


def test_int32_follows_its_inputs():
    with gpus(1):
        on_device = tf.cast(tf.constant([1.0, 2.0]), tf.int32)
        assert place_of(on_device, on_device + 1, on_device + tf.constant([1, 2])) == [FIRST] * 3
        with tf.GradientTape():  # random numbers are not sizes
            assert tf.random.uniform([3], 0, 5, tf.int32).device == FIRST
        assert place_of(
            tf.constant(3, tf.int64), tf.Variable(1), tf.Variable(1, dtype=tf.int64)
        ) == [FIRST, CPU, FIRST]


def test_types_that_a_gpu_does_not_hold_live_on_the_host():
    with gpus(1):
        x = tf.constant([1.5, 2.5])
        tiny = tf.cast(x, tf.dtypes.experimental.float8_e5m2)
        assert place_of(tiny, tf.cast(tiny, tf.float32)) == [CPU, CPU]
        assert place_of(tf.constant("a"), tf.strings.as_string(x), tf.Variable("a")) == [CPU] * 3
        with tf.device("GPU:0"):
            assert tf.constant("a").device == CPU


def test_bfloat16_is_computed_on_the_device():
    with gpus(1):
        x = tf.constant([[1.5, 2.5], [-3.0, 100.0]], tf.bfloat16)
        v = tf.Variable(x)
        with journal.read() as events:
            found = [
                x + x,
                x * 2.0,
                tf.nn.softplus(x),
                tf.matmul(x, x),
                tf.cumsum(x),
                tf.sort(x),
                tf.transpose(x),
            ]
            found += [
                tf.function(lambda a: tf.nn.relu(a) - tf.exp(a))(x),
                v.assign_add(x),
                *tf.unstack(x),
            ]
        assert not waits(events)
        for result in found:
            assert result.device == FIRST and result.dtype is tf.bfloat16


def test_explicit_scopes():
    with gpus(2):
        x = tf.constant([1.0])
        with tf.device("GPU:1"):
            y = x + 1.0
            assert place_of(y, tf.zeros([2])) == [SECOND] * 2
            with tf.device("CPU:0"):
                assert (y * 2.0).device == CPU
        assert (y + x).device == FIRST
        assert [float(v[0]) for v in (y, y + x)] == [2, 3]


def test_copies_between_devices():
    with gpus(2), journal.read() as events:
        x = tf.constant(np.zeros(1000, np.float32))
        with tf.device("GPU:1"):
            y = tf.identity(x)
        assert y.device == SECOND
        assert [(e.kind, e.what, e.device) for e in kinds(events, "up", "across")] == [
            ("up", 4000, 0),
            ("across", 4000, 1),
        ]
        assert waits(events) == []
        assert x.cpu().device == CPU and x.cpu().gpu(1).device == SECOND
        assert [e.what for e in waits(events)] == [4000, 4000]


@pytest.mark.parametrize("value", [-0.0, complex(0.0, -0.0)])
def test_zeros_keep_their_sign(value):
    with gpus(1):
        for x in (
            tf.constant(value),
            tf.Variable(value),
            tf.fill([2], value),
            tf.constant(value, shape=[2]),
        ):
            found = x.numpy()
            assert (
                x.device == FIRST
                and np.signbit(found.imag if found.dtype.kind == "c" else found).all()
            )
        assert np.signbit((tf.ones([2]) * -0.0).numpy()).all()


def test_an_axis_outside_is_told_of_as_on_the_host():
    for x in ([1.0, 2.0], [1, 2]):
        with gpus(1):
            for _ in range(3):  # the third one is known
                with pytest.raises(
                    tf.errors.InvalidArgumentError,
                    match=r"Expected dimension in the range \[-1, 1\), but got 1",
                ):
                    tf.argmax(tf.constant(x), 1)
                with pytest.raises(
                    tf.errors.InvalidArgumentError,
                    match=r"Reduction axis 0 is empty in shape \[0\]",
                ):
                    tf.argmax(tf.constant(x)[:0], 0)
                assert tf.argmax(tf.zeros([0, 3]), 1).shape == [0]


def test_places_of_extremes_are_printed_as_on_the_host():
    places = "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 0])>"
    assert repr(tf.argmax([[1, 5], [7, 2]], 1)) == places
    with gpus(1):
        x = tf.argmax([[1, 5], [7, 2]], 1)
        assert x.device == FIRST and x._array.dtype.char == "q" and repr(x) == places


def test_operations_on_variables_run_where_they_are():
    with gpus(2):
        with tf.device("GPU:1"):
            v = tf.Variable([1.0, 2.0])
        with tf.device("CPU:0"):
            w = tf.Variable([1.0, 2.0])
        assert place_of(v, v.assign_add([1.0, 1.0]), w) == [SECOND, SECOND, CPU]
        with tf.device("GPU:0"):
            assert place_of(v.read_value(), v + w) == [
                FIRST,
                FIRST,
            ]  # read where it is, then copied
        w.assign(v)
        assert w.device == CPU and w.numpy().tolist() == [2.0, 3.0]
        assert tf.gather(v, [1]).device == SECOND


def test_soft_placement():
    with gpus(2):
        for missing in ("GPU:7", "CPU:7", "TPU:0"):  # the fastest device that can do it stands in
            with tf.device(missing):
                assert place_of(tf.zeros([1]), tf.Variable([1.0]), tf.constant("a")) == [
                    FIRST,
                    FIRST,
                    CPU,
                ]
        tf.config.set_soft_device_placement(False)
        said = (
            f"Could not satisfy device specification '{FIRST[:-1]}7'. enable_soft_placement=0. "
            f"Supported device types [GPU, CPU]. All available devices [{FIRST}, {SECOND}, {CPU}]."
        )
        with (
            pytest.raises(tf.errors.InvalidArgumentError, match=re.escape(said)),
            tf.device("GPU:7"),
        ):
            tf.zeros([1])


def test_without_soft_placement_an_operation_runs_on_the_kind_that_is_asked_for_or_not_at_all():
    with gpus(1):
        tf.config.set_soft_device_placement(False)
        with tf.device("GPU:0"):
            words = tf.constant(["a"])
            with pytest.raises(
                tf.errors.InvalidArgumentError,
                match=r"device:GPU:0'.*Supported device types \[CPU\]",
            ):
                tf.strings.upper(words)
            assert place_of(words, tf.constant(1) + 2, tf.zeros([1])) == [CPU, CPU, FIRST]
        assert tf.strings.upper(words).device == CPU  # nobody asked for anything else


def test_a_name_without_a_kind_leaves_an_operation_of_a_function_to_any():
    @tf.function
    def louder(words):
        with tf.device("/job:localhost"):
            return tf.strings.upper(words), tf.zeros([1])

    with gpus(1):
        tf.config.set_soft_device_placement(False)
        with tf.GradientTape():  # its operations run one by one
            assert place_of(*louder(tf.constant(["a"]))) == [CPU, FIRST]


def test_the_log():
    out = io.StringIO()
    with gpus(2):
        v = tf.Variable([1.0])
        tf.debugging.set_log_device_placement(True)
        with contextlib.redirect_stdout(out):
            tf.constant([1.0]) + v
            with tf.device("GPU:1"):
                tf.strings.length("a")
                tf.zeros([2])
    lines = [line.removeprefix("Executing op ") for line in out.getvalue().splitlines()]
    assert f"AddV2 in device {FIRST}" in lines and f"ReadVariableOp in device {FIRST}" in lines
    assert f"StringLength in device {CPU}" in lines
    assert any(line.endswith(f"in device {SECOND}") for line in lines)


# ------------------------------------------------------------------ memory


def test_memory_runs_out():
    with gpus(1, total=1 << 20):
        x = tf.zeros([1 << 16])  # a quarter
        with pytest.raises(tf.errors.ResourceExhaustedError, match="GPU:0 by allocator GPU_0_bfc"):
            tf.zeros([1 << 20])
        assert cuda.pool(0).freed == 1, "what nobody uses is given back, once"
        assert (x + 1.0).shape == [1 << 16]


def test_what_nobody_uses_is_collected_before_memory_has_run_out(request):
    request.addfinalizer(gc.enable)
    gc.disable()  # it would come at any time
    with gpus(1, total=1 << 20):
        gc.collect()
        held = {"self": None, "x": tf.zeros([1 << 17])}  # half, in a circle
        held["self"] = held
        del held
        kept = [tf.zeros([1 << 15]) for _ in range(3)]
        assert tf.zeros([1 << 17]).shape == [1 << 17]
        assert len(kept) == 3 and cuda.pool(0).freed == 1


def test_questions_about_memory():
    with gpus(1):
        x = tf.zeros([1024])
        info = tf.config.experimental.get_memory_info("GPU:0")
        assert info["current"] >= 4096 and info["peak"] >= info["current"]
        del x
        assert tf.config.experimental.get_memory_info("GPU:0")["peak"] >= 4096
        assert tf.config.experimental.get_memory_usage("GPU:0") < 4096
        tf.config.experimental.reset_memory_stats("GPU:0")
        assert tf.config.experimental.get_memory_info("GPU:0")["peak"] < 4096


@contextlib.contextmanager
def unopened(count=2):
    """Stand-ins that no operation has used yet."""
    with gpus(count):
        tf.config.list_physical_devices()
        from twinflow._src.core.context import runtime

        runtime.__init__()
        yield runtime.physical()


def test_some_devices_are_visible():
    with unopened(3) as devices:
        tf.config.set_visible_devices(devices[2:4], "GPU")
        assert [d.name for d in tf.config.list_logical_devices("GPU")] == [
            "/device:GPU:0",
            "/device:GPU:1",
        ]
        with journal.read() as events:
            assert tf.constant([1.0]).device == FIRST
        assert {e.device for e in events} == {1}, (
            "the first one that is visible is the machine's second"
        )
        with pytest.raises(RuntimeError, match="cannot be modified"):
            tf.config.set_visible_devices(devices[1], "GPU")


def test_no_gpu_is_visible():
    with unopened() as _:
        tf.config.set_visible_devices([], "GPU")
        assert tf.constant([1.0]).device == CPU


def test_limits_and_growth():
    with unopened() as devices:
        part = tf.config.LogicalDeviceConfiguration
        with pytest.raises(
            ValueError, match="Setting memory limit is required for GPU virtual devices"
        ):
            tf.config.set_logical_device_configuration(devices[1], [part(memory_limit=1), part()])
        with pytest.raises(
            ValueError, match="Setting experimental_priority on CPU virtual  devices is"
        ):
            tf.config.set_logical_device_configuration(devices[0], [part(experimental_priority=1)])
        tf.config.set_logical_device_configuration(
            devices[1], [part(memory_limit=1), part(memory_limit=2)]
        )
        with pytest.raises(
            ValueError, match="Cannot set memory growth on device when virtual devices configured"
        ):
            tf.config.experimental.set_memory_growth(devices[1], True)
        tf.config.experimental.set_memory_growth(devices[2], None)
        assert tf.config.experimental.get_memory_growth(devices[2]) is None
        tf.config.experimental.set_memory_growth(devices[2], False)
        assert tf.config.experimental.get_memory_growth(devices[2]) is False
        assert len(tf.config.list_logical_devices("GPU")) == 3
        assert cuda.pool(0).limit == 3 << 20
        assert cuda.pool(1).held > cuda.machine.total // 2
        with pytest.raises(tf.errors.ResourceExhaustedError), tf.device("GPU:0"):
            tf.zeros([1 << 20])
        with pytest.raises(RuntimeError, match="cannot be modified"):
            tf.config.experimental.set_memory_growth(devices[2], True)


def test_details_and_waiting_for_all():
    with gpus(2), journal.read() as events:
        found = tf.config.experimental.get_device_details(tf.config.list_physical_devices("GPU")[0])
        assert found == {"device_name": "stand-in", "compute_capability": (9, 0)}
        tf.test.experimental.sync_devices()
        assert [(e.what, e.device) for e in waits(events)] == [
            ("synchronize", 0),
            ("synchronize", 1),
        ]


# ------------------------------------------------------------------ what is missing


def test_without_a_driver_nothing_is_imported():
    said = in_new_python(
        "import sys, twinflow as tf; tf.zeros([1]); print('cupy' in sys.modules, tf.config.list_physical_devices('GPU'))"
    )
    if not device.count():
        assert said.split() == ["False", "[]"]


def test_a_driver_that_answers_with_an_error():
    with present(1, error=35):
        assert (
            device.count() == 0
            and "do not go together" in device.why_none()
            and "cuda12" in device.why_none()
        )
    with present(1, error=100):
        assert device.count() == 0 and device.why_none() == "The driver knows no device."


@pytest.mark.parametrize(
    "line",
    [
        "raise ImportError('libx')",
        "raise RuntimeError('not whole')",
        "import ctypes; ctypes.CDLL('libx.so')",
        "",
    ],
)
def test_a_cupy_that_does_not_load_is_no_reason_not_to_work(line, tmp_path, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    (tmp_path / "cupy.py").write_text(line)
    said = in_new_python(
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import twinflow as tf; from twinflow._src.backends.gpu import device as gpu; "
        "gpu._DRIVER_FILES = ('/',); print(tf.zeros([1]).device[-5:], gpu.why_none())"
    )
    assert said.startswith("CPU:0 CuPy does not load (") and "cuda12" in said


@pytest.mark.parametrize(
    ("visible", "found"), [("", 0), ("-1", 0), ("-1,0", 0), ("1,0", 2), ("0", 2)]
)
def test_hidden_devices_are_not_looked_for(visible, found, monkeypatch):
    with present(2):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
        assert device.count() == found and bool(device._cupy.cache_info().misses) == bool(found)
        assert found or "CUDA_VISIBLE_DEVICES" in device.why_none()


def test_an_old_cupy():
    with present(1) as cupy:
        cupy.__version__ = "13.6.0"
        assert device.count() == 0 and "too old" in device.why_none()


def test_no_device():
    with present(0):
        assert device.count() == 0 and "no device" in device.why_none()


def test_without_the_compiler(monkeypatch):
    def missing():
        raise RuntimeError("CuPy failed to load libnvrtc.so.12")

    monkeypatch.setattr(cuda.nvrtc, "getVersion", missing)
    with present():
        assert (
            device.count() == 0
            and "compiler" in device.why_none()
            and "cuda12" in device.why_none()
        )


# ------------------------------------------------------------------ exchange


def test_arrays_of_others_are_taken_without_a_copy():
    with gpus(2) as devices:
        theirs = devices[1].xp.ones((2, 3), np.float32)
        with journal.read() as events:
            ours = tf.convert_to_tensor(theirs)
            other = tf.experimental.dlpack.from_dlpack(theirs)
        assert not kinds(events, "up", "down", "across")
        for tensor in (ours, other):
            assert tensor.device == FIRST and tensor._array.data.ptr == theirs.data.ptr
        assert tf.constant(theirs, tf.float64).dtype is tf.float64


def test_ours_are_given_without_a_copy():
    with gpus(2):
        with tf.device("GPU:1"):
            x = tf.zeros([2, 3])
        assert x.__cuda_array_interface__["data"][0] == x._array.data.ptr
        assert x.__dlpack_device__() == (2, 1)
        with pytest.raises(AttributeError):
            tf.strings.length("a").__cuda_array_interface__


def test_reductions_of_nothing():
    with gpus(1):
        assert float(tf.reduce_max(tf.zeros([0]))) == -np.inf
        assert tf.reduce_min(tf.zeros([2, 0, 3]), [1, 2], keepdims=True).numpy().tolist() == [
            [[np.inf]],
            [[np.inf]],
        ]
        assert tf.reduce_max(tf.zeros([0, 2], tf.int64), 0).numpy().tolist() == [-(2**63)] * 2


def test_large_arrays_go_in_parts_through_two_buffers(monkeypatch):
    from twinflow._src.backends.gpu import transfers

    monkeypatch.setattr(device, "LEAST", 1 << 12)
    monkeypatch.setattr(transfers, "PART", 1 << 10)
    transfers._buffers.cache_clear()
    for order in "CF":
        array = np.arange(3000.0).reshape(30, 100).copy(order)
        with gpus(1), journal.read() as events:
            x = device.from_host(array, 0)
            sizes = [event.what for event in kinds(events, "up")]
            assert (
                len(sizes) == 24
                and max(sizes) == 1 << 10
                and sum(sizes) == array.nbytes
                and not waits(events)
            )
            assert x.flags.c_contiguous
            out = np.empty_like(array)
            assert device.to_host(x, out) is out
            np.testing.assert_array_equal(out, array)
            np.testing.assert_array_equal(device.to_host(x), array)
            assert {event.what for event in kinds(events, "down")} <= set(sizes)
    transfers._buffers.cache_clear()


def test_values_of_r_go_straight_to_the_device_and_back():
    from twinflow._src.r_bridge import from_r, to_r

    value = np.asfortranarray(np.arange(12000.0).reshape(3, 4000))
    with gpus(1):
        with tf.device("GPU:0"), journal.read() as events:
            x = from_r.tensor(value)
        assert (
            x.device == FIRST
            and [e.what for e in kinds(events, "up")] == [value.nbytes]
            and not waits(events)
        )
        np.testing.assert_array_equal(x.numpy(), value)
        with journal.read() as events:
            assert to_r.as_r(x) == [[3, 4000], "double", None, False]
            assert not waits(events)
            memory = np.zeros(12000)
            to_r.copy_into(x, memory)
        assert sum(e.what for e in kinds(events, "down")) == value.nbytes
        np.testing.assert_array_equal(memory, value.ravel(order="F"))
        short, flags = tf.cast(x, tf.bfloat16), x > 5000.0
        for tensor, dtype in ((short, np.float64), (flags, np.int32)):
            memory = np.zeros(12000, dtype)
            to_r.copy_into(tensor, memory)
            np.testing.assert_array_equal(memory, tensor.numpy().astype(dtype).ravel(order="F"))
        with tf.device("GPU:0"):
            assert from_r.tensor(value[:, :2].astype(np.int32)).device == CPU


def test_values_of_r_are_converted_and_laid_out_on_the_device():
    from twinflow._src.r_bridge import from_r

    value = np.asfortranarray(np.arange(12000.0).reshape(3, 4000))
    value[0, :3] = 1e300, -np.inf, np.nan
    on_host = from_r.tensor(value, "float32", [4000, -1]).numpy()
    with gpus(1), tf.device("GPU:0"), journal.read() as events:
        short = from_r.tensor(value, "float32", [4000, -1])
        turned = from_r.tensor(value, None, [2, 6000])
        filled = from_r.tensor(1.5, "float32", [300, 200])
        with pytest.raises(
            ValueError, match=r"cannot reshape array of size 12000 into shape \(5,5\)"
        ):
            from_r.tensor(value, None, [5, 5])
        assert not waits(events)
        up = sorted(e.what for e in kinds(events, "up"))
        assert up[-2:] == [value.nbytes] * 2 and sum(up[:-2]) < 100, (
            "the rest are limits and one value"
        )
    with gpus(1):
        assert place_of(short, turned, filled) == [FIRST] * 3
        assert [t.dtype for t in (short, turned, filled)] == [tf.float32, tf.float64, tf.float32]
        np.testing.assert_array_equal(short.numpy(), on_host)
        np.testing.assert_array_equal(turned.numpy(), value.reshape(2, 6000))
        np.testing.assert_array_equal(filled.numpy(), np.full((300, 200), 1.5))
