"""Devices: names in every spelling, blocks, and the questions that can be asked."""

import pytest

import twinflow as tf
from tests.harness import in_new_python

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
Spec = tf.DeviceSpec


@pytest.mark.parametrize(
    ("text", "parts", "full"),
    [
        ("", {}, ""),
        ("/CPU:0", {"device_type": "CPU", "device_index": 0}, "/device:CPU:0"),
        ("cpu:0", {"device_type": "CPU", "device_index": 0}, "/device:CPU:0"),
        ("/gpu:1", {"device_type": "GPU", "device_index": 1}, "/device:GPU:1"),
        ("/device:GPU:*", {"device_type": "GPU"}, "/device:GPU:*"),
        ("GPU", {"device_type": "GPU"}, "/device:GPU:*"),
        ("/job:ps/task:7", {"job": "ps", "task": 7}, "/job:ps/task:7"),
        (
            "/job:worker/replica:1/task:2/device:CPU:3",
            {"job": "worker", "replica": 1, "task": 2, "device_type": "CPU", "device_index": 3},
            "/job:worker/replica:1/task:2/device:CPU:3",
        ),
    ],
)
def test_spellings(text, parts, full):
    spec = Spec.from_string(text)
    names = ("job", "replica", "task", "device_type", "device_index")
    assert {k: v for k in names if (v := getattr(spec, k)) is not None} == parts
    assert spec.to_string() == full
    assert spec == Spec(**parts) and hash(spec) == hash(Spec(**parts))
    assert Spec().parse_from_string(text) == spec


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "Unknown attribute 'nonsense'"),
        ("/CPU:0/GPU:1", "Multiple device types"),
        ("/CPU:x", "invalid literal for int"),
        ("/device:CPU:0:1", "Unknown attribute 'device'"),
        ("/task:a", "invalid literal for int"),
    ],
)
def test_not_a_device(text, said):
    with pytest.raises(ValueError, match=said):
        Spec.from_string(text)


def test_specs_merge():
    worker = Spec(job="worker", device_type="CPU", device_index=0)
    assert (
        worker.make_merged_spec(Spec(device_type="GPU", device_index=1)).to_string()
        == "/job:worker/device:GPU:1"
    )
    assert worker.replace(task=3).to_string() == "/job:worker/task:3/device:CPU:0"
    assert worker != Spec() and repr(Spec(device_type="cpu")).startswith("<")


@pytest.mark.parametrize(
    "name", ["CPU:0", "cpu:0", "/cpu:0", "/device:CPU:0", CPU, Spec.from_string("CPU:0"), None, ""]
)
def test_blocks(name):
    with tf.device(name):
        assert tf.constant([1.0]).device == CPU
        assert (tf.constant([1.0]) + 1.0).device == CPU
        assert tf.Variable(1.0).device == CPU


def test_blocks_nest_and_end():
    with tf.device("GPU:0"):
        with tf.device("CPU:0"):
            assert tf.zeros([1]).device == CPU
        with tf.device(None):
            assert tf.zeros([1]).device == CPU
    with pytest.raises(ZeroDivisionError), tf.device("CPU:0"):
        1 / 0
    assert tf.zeros([1]).device == CPU
    block = tf.device("CPU:0")
    for _ in range(2):
        with block, block:
            assert tf.zeros([1]).device == CPU


@pytest.mark.parametrize("name", [3, 1.5, b"CPU:0"])
def test_not_a_name(name):
    with pytest.raises(ValueError, match="Expecting a string device name"), tf.device(name):
        pass


def test_functions_are_refused():
    with pytest.raises(RuntimeError, match=r"tf.device does not support functions."):
        tf.device(lambda op: "CPU:0")


@pytest.mark.parametrize(
    "name", ["/device:CPU:-1", "/job:worker/device:CPU:-1", "/task:1/device:CPU:-1"]
)
def test_an_index_below_zero_is_refused_before_the_task(name):
    with (
        pytest.raises(tf.errors.InvalidArgumentError, match="Malformed device specification"),
        tf.device(name),
    ):
        tf.zeros([1])


def test_another_task_is_refused():
    with (
        pytest.raises(tf.errors.InvalidArgumentError, match="unknown device"),
        tf.device("/job:ps/task:7"),
    ):
        tf.constant([1.0]) + 1.0


@pytest.mark.skipif(bool(tf.config.list_physical_devices("GPU")), reason="there is a GPU")
class TestWithoutGpu:
    def test_soft_placement_falls_back(self):
        with tf.device("GPU:0"):
            assert (tf.constant([1.0]) * 2).device == CPU
            assert tf.Variable([1.0]).device == CPU

    def test_hard_placement_says_what_there_is(self):
        tf.config.set_soft_device_placement(False)
        try:
            assert not tf.config.get_soft_device_placement()
            with pytest.raises(tf.errors.InvalidArgumentError) as caught, tf.device("GPU:0"):
                tf.constant([1.0]) + 1.0
        finally:
            tf.config.set_soft_device_placement(True)
        assert "Could not satisfy device specification" in str(caught.value)
        assert f"All available devices [{CPU}]" in str(caught.value)

    def test_questions(self):
        assert tf.config.list_physical_devices("GPU") == [] == tf.config.list_logical_devices("GPU")
        assert not tf.test.is_gpu_available() and tf.test.gpu_device_name() == ""
        assert not tf.test.is_built_with_cuda()


def test_lists():
    (cpu,) = tf.config.list_physical_devices("CPU")
    assert cpu == tf.config.PhysicalDevice("/physical_device:CPU:0", "CPU")
    assert tf.config.list_logical_devices("CPU")[0].name == "/device:CPU:0"
    assert cpu in tf.config.get_visible_devices()
    assert tf.config.experimental.get_device_details(cpu) == {}
    with pytest.raises(ValueError, match="Cannot set memory growth on non-GPU"):
        tf.config.experimental.set_memory_growth(cpu, True)
    ghost = tf.config.PhysicalDevice("/physical_device:GPU:9", "GPU")
    with pytest.raises(ValueError, match="must be one obtained"):
        tf.config.experimental.get_device_details(ghost)
    for ask in (
        tf.config.get_logical_device_configuration,
        tf.config.set_visible_devices,
    ):
        with pytest.raises(ValueError, match="Unrecognized device"):
            ask(ghost)


def test_devices_are_fixed_by_the_first_operation():
    printed = in_new_python("""
        cpu, = tf.config.list_physical_devices('CPU')
        tf.constant(1) + 1
        for change in (lambda: tf.config.set_visible_devices([], 'CPU'),
                       lambda: tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2),
                       lambda: tf.config.threading.set_intra_op_parallelism_threads(3)):
            try:
                change()
            except RuntimeError as error:
                print(error)
        tf.config.set_visible_devices(cpu, 'CPU')  # no change, no error
    """)
    assert printed.splitlines() == [
        "Visible devices cannot be modified after being initialized",
        "Virtual devices cannot be modified after being initialized",
        "Intra op parallelism cannot be modified after initialization.",
    ]


SPLIT = """
cpu, = tf.config.list_physical_devices('CPU')
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 3)
"""


def test_a_cpu_can_be_several_devices():
    printed = in_new_python(
        SPLIT
        + """
assert len(tf.config.get_logical_device_configuration(cpu)) == 3
print(*(d.name for d in tf.config.list_logical_devices()))
with tf.device('CPU:1'):
    v = tf.Variable([1., 2.])
    x = tf.constant([3., 4.])
    inside = v + x
with tf.device('CPU:2'):
    outside = v * x
    w = tf.Variable(v)
default = tf.identity(x)
for thing in (v, x, inside, outside, w, default, v.value()):
    print(thing.device[-5:], *thing.numpy())
w.assign_add(x)
print(*w.numpy(), *v.numpy())
"""
    )
    assert printed.splitlines() == [
        "/device:CPU:0 /device:CPU:1 /device:CPU:2",
        "CPU:1 1.0 2.0",
        "CPU:1 3.0 4.0",
        "CPU:1 4.0 6.0",
        "CPU:2 3.0 8.0",
        "CPU:2 1.0 2.0",
        "CPU:0 3.0 4.0",
        "CPU:1 1.0 2.0",
        "4.0 6.0 1.0 2.0",
    ]


def test_copies_between_devices_do_not_share_memory():
    printed = in_new_python(
        SPLIT
        + """
x = tf.constant([1., 2.])
with tf.device('CPU:1'):
    y = tf.identity(x)
    v = tf.Variable(x)
print(np.shares_memory(x._array, y._array), np.shares_memory(x._array, v._handle.array))
with tf.device('CPU:2'):
    v.assign([5., 6.])
print(v.device[-5:], *x.numpy(), *v.numpy())
"""
    )
    assert printed.splitlines() == ["False False", "CPU:1 1.0 2.0 5.0 6.0"]


def test_the_log_names_the_device():
    printed = in_new_python(
        SPLIT
        + """
tf.debugging.set_log_device_placement(True)
assert tf.debugging.get_log_device_placement()
with tf.device('CPU:1'):
    v = tf.Variable([1., 2.])
with tf.device('CPU:2'):
    y = v * 2.
tf.debugging.set_log_device_placement(False)
"""
    )
    assert [f"{line.split()[2]} {line[-5:]}" for line in printed.splitlines()] == [
        "_EagerConst CPU:1",
        "VarHandleOp CPU:1",
        "AssignVariableOp CPU:1",
        "ReadVariableOp CPU:1",
        "_EagerConst CPU:2",
        "Mul CPU:2",
    ]


def test_memory_of_the_host_is_not_limited():
    printed = in_new_python("""
        cpu, = tf.config.list_physical_devices('CPU')
        try:
            tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration(memory_limit=100)])
        except ValueError as error:
            print(error)
        tf.config.threading.set_inter_op_parallelism_threads(2)
        print(tf.config.threading.get_inter_op_parallelism_threads())
    """)
    assert printed.splitlines() == [
        "Setting memory limit on CPU virtual devices is currently not supported",
        "2",
    ]


def test_questions_of_the_process():
    assert tf.executing_eagerly() and not tf.config.functions_run_eagerly()


def test_threads_that_begin_together_find_the_same_devices():
    printed = in_new_python("""
        import threading, time
        from twinflow._src.backends.cpu import malloc as memory
        keep, found = memory.keep, []
        memory.keep = lambda: (time.sleep(0.2), keep())  # so that both are in the midst of it
        threads = [threading.Thread(target=lambda: found.append(tf.zeros([1]))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(found[0]._device is found[1]._device)
    """)
    assert printed.split() == ["True"]
