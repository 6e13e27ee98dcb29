"""Extension types: what their fields take, how they nest, and functions registered for them."""

import copy
import typing

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.wings.private_api import type_specs
from twinflow._src.wings.saved_model.structures import NotEncodableError


class Masked(tf.experimental.BatchableExtensionType):
    """Values of which some do not count."""

    values: tf.Tensor
    mask: tf.Tensor
    label: str = ""

    def __validate__(self):
        self.values.shape.assert_is_compatible_with(self.mask.shape)

    class Spec:
        @property
        def shape(self):
            return self.values.shape

    shape = property(lambda self: self.values.shape)


@pytest.fixture
def masked():
    return Masked([1.0, -2.0, 3.0], [True, False, True])


@pytest.fixture
def registered():
    """Registers functions by decorators, and undoes it."""
    known = []

    def register(decorator, function):
        known.append(decorator(function))
        return function

    yield register
    for function in known:
        tf.experimental.unregister_dispatch_for(function)


class TestFields:
    def test_are_converted(self, masked):
        assert isinstance(masked.values, tf.Tensor)
        assert masked.label == ""

    def test_stay_as_they_are(self, masked):
        with pytest.raises(AttributeError, match="Cannot mutate attribute `label`"):
            masked.label = "x"
        with pytest.raises(AttributeError):
            del masked.label

    def test_are_checked(self):
        with pytest.raises(TypeError, match="label: expected 'str', got 'int'"):
            Masked([1.0], [True], 3)
        with pytest.raises(ValueError, match="incompatible"):
            Masked([1.0, 2.0], [True])

    def test_nest(self):
        class Outer(tf.experimental.ExtensionType):
            parts: typing.Tuple[Masked, ...]  # noqa: UP006
            by_name: typing.Mapping[str, tf.Tensor]
            rest: typing.Optional[tf.RaggedTensor] = None  # noqa: UP045

        rt = tf.ragged.constant([[1], [2, 3]])
        outer = Outer([Masked([1.0], [True])] * 2, {"b": 1, "a": 2}, rt)
        parts = tf.nest.flatten(outer, expand_composites=True)
        assert len(parts) == 2 * 2 + 2 + 2
        again = tf.nest.pack_sequence_as(outer, parts, expand_composites=True)
        assert repr(again) == repr(outer)
        assert bool(again == outer)

    def test_copies_are_equal(self, masked):
        for other in (copy.copy(masked), copy.deepcopy(masked)):
            assert bool(other == masked)


class TestSpec:
    def test_has_the_methods_of_the_class_within(self, masked):
        assert masked._type_spec.shape == [3]
        assert repr(masked._type_spec).startswith("Masked.Spec(values=TensorSpec(shape=(3,)")

    def test_says_what_fits(self, masked):
        wide = Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool), "")
        assert wide.is_compatible_with(masked)
        assert masked._type_spec.is_subtype_of(wide)
        assert not wide.is_compatible_with(Masked([1.0], [True], "other"))
        assert wide.most_specific_compatible_type(masked._type_spec) == wide
        assert {wide, wide.most_specific_compatible_type(wide)} == {wide}


class TestMaps:
    def test_cut_and_stack(self, masked):
        signature = Masked.Spec(tf.TensorSpec([]), tf.TensorSpec([], tf.bool), "")
        found = tf.map_fn(
            lambda m: Masked(m.values * 2, m.mask), masked, fn_output_signature=signature
        )
        np.testing.assert_array_equal(found.values, [2, -4, 6])
        np.testing.assert_array_equal(found.mask, masked.mask)


class TestDispatch:
    def test_of_one_function(self, masked, registered):
        total = lambda input_tensor, axis=None, keepdims=False: tf.reduce_sum(
            tf.where(input_tensor.mask, input_tensor.values, 0), axis, keepdims
        )
        registered(tf.experimental.dispatch_for_api(tf.reduce_sum, {"input_tensor": Masked}), total)
        assert float(tf.reduce_sum(masked)) == 4.0
        assert float(tf.math.reduce_sum(input_tensor=masked)) == 4.0
        assert float(tf.reduce_sum([1.0, 2.0])) == 3.0

    def test_of_a_list(self, masked, registered):
        def stack(values, axis=0, name="stack"):
            return Masked(
                tf.stack([v.values for v in values], axis), tf.stack([v.mask for v in values], axis)
            )

        signature = {"values": typing.List[Masked]}  # noqa: UP006
        registered(tf.experimental.dispatch_for_api(tf.stack, signature), stack)
        assert tf.stack([masked, masked]).shape == [2, 3]
        assert tf.stack([1, 2]).shape == [2]

    def test_of_all_that_work_element_by_element(self, masked, registered):
        one = lambda api, x: Masked(api(x.values), x.mask)
        two = lambda api, x, y: Masked(api(x.values, y.values), x.mask & y.mask)
        registered(tf.experimental.dispatch_for_unary_elementwise_apis(Masked), one)
        registered(tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked), two)
        np.testing.assert_array_equal(tf.abs(masked).values, [1, 2, 3])
        np.testing.assert_array_equal(tf.cast(masked, tf.int32).values, [1, -2, 3])
        np.testing.assert_array_equal(tf.clip_by_value(masked, -1.0, 2.0).values, [1, -1, 2])
        np.testing.assert_array_equal(tf.add(masked, masked).values, [2, -4, 6])
        with pytest.raises(ValueError, match="unsupported type"):
            tf.nn.softmax(masked)

    def test_may_decline(self, masked, registered):
        registered(
            tf.experimental.dispatch_for_api(tf.add, {"x": Masked}),
            lambda x, y, name=None: NotImplemented,
        )
        with pytest.raises(ValueError, match="unsupported type"):
            tf.add(masked, 1)

    def test_ends(self, masked):
        function = tf.experimental.dispatch_for_api(tf.shape, {"input": Masked})(
            lambda input, out_type, name: "here"
        )
        assert tf.shape(masked) == "here"
        tf.experimental.unregister_dispatch_for(function)
        with pytest.raises(ValueError, match="unsupported type"):
            tf.shape(masked)
        with pytest.raises(ValueError, match="was not registered"):
            tf.experimental.unregister_dispatch_for(function)


def test_tapes_watch_what_is_inside(masked):
    with tf.GradientTape() as tape:
        tape.watch(masked)
        y = tf.reduce_sum(masked.values**2)
    np.testing.assert_array_equal(tape.gradient(y, masked.values), [2, -4, 6])


def test_identity_reaches_every_tensor(masked):
    assert bool(tf.identity(masked) == masked)
    assert tf.identity(masked).values is not masked.values


class TestInSavedModels:
    @pytest.fixture
    def named(self, monkeypatch):
        monkeypatch.setattr(type_specs, "_CLASSES", dict(type_specs._CLASSES))
        monkeypatch.setattr(type_specs, "_NAMES", dict(type_specs._NAMES))

        class Interval(tf.experimental.ExtensionType):
            __name__ = "tests.Interval"
            low: tf.Tensor
            high: tf.Tensor
            labels: typing.Mapping[str, tf.Tensor]
            unit: str
            steps: typing.Tuple[int, ...] = (1, 2)  # noqa: UP006

        return Interval

    @staticmethod
    def _save(kind, path):
        spec = kind.Spec(tf.TensorSpec([None]), tf.TensorSpec([None]), {}, "m", (1, 2))
        model = tf.Module()
        model.width = tf.function(lambda x: x.high - x.low, input_signature=[spec])
        widen = lambda x: kind(x.low - 1.0, x.high + 1.0, {"old": x.low}, x.unit)
        model.widen = tf.function(widen, input_signature=[spec])
        tf.saved_model.save(model, str(path))

    def test_come_back_as_what_they_were(self, named, tmp_path):
        self._save(named, tmp_path)
        loaded, value = tf.saved_model.load(str(tmp_path)), named([1.0], [4.0], {}, "m")
        np.testing.assert_array_equal(loaded.width(value), [3.0])
        wider = loaded.widen(value)
        assert type(wider) is named and (wider.unit, wider.steps) == ("m", (1, 2))
        np.testing.assert_array_equal(wider.labels["old"], [1.0])
        np.testing.assert_array_equal(wider.high - wider.low, [5.0])

    def test_are_anonymous_where_they_are_not_registered(self, named, tmp_path):
        self._save(named, tmp_path)
        del type_specs._CLASSES["tests.Interval.Spec"]
        with pytest.warns(UserWarning, match="'tests.Interval.Spec' has not been registered"):
            loaded = tf.saved_model.load(str(tmp_path))
            spec = loaded.widen.concrete_functions[0].structured_outputs
        assert type(spec).__name__ == "AnonymousExtensionTypeSpec"
        value = loaded.widen.concrete_functions[0].structured_input_signature[0][0]
        parts = [tf.constant([1.0]), tf.constant([4.0])]
        wider = loaded.widen(value._from_components(parts))
        assert repr(wider).startswith("AnonymousExtensionType(low=<tf.Tensor")
        np.testing.assert_array_equal(wider.high, [5.0])

    def test_need_a_name(self, tmp_path):
        class Unnamed(tf.experimental.ExtensionType):
            low: tf.Tensor
            high: tf.Tensor
            labels: typing.Mapping[str, tf.Tensor]
            unit: str
            steps: typing.Tuple[int, ...] = (1, 2)  # noqa: UP006

        with pytest.raises(NotEncodableError, match=r"No encoder for object .*Unnamed\.Spec"):
            self._save(Unnamed, tmp_path)

    def test_names_are_taken_once(self, named):
        with pytest.raises(ValueError, match=r"tests\.Interval\.Spec has already"):

            class Other(tf.experimental.ExtensionType):
                __name__ = "tests.Interval"


def test_local_classes_are_shown_with_their_function(masked):
    class Local(tf.experimental.ExtensionType):
        x: int

    assert repr(Local(1)).endswith("<locals>.Local(x=1)")
    assert repr(Local.Spec(1)).endswith("<locals>.Local.Spec(x=1)")
