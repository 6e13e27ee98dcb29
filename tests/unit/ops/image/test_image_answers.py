"""TensorFlow's recorded answers about images, files among them."""

import importlib.util

import pytest

import twinflow as tf
from tests.golden import image_answers

CASES, FILES = image_answers.recorded()
HAS_PILLOW = importlib.util.find_spec("PIL") is not None


@pytest.mark.parametrize("expression", CASES)
def test_answer(expression):
    if image_answers.NEEDS_PILLOW.search(expression) and not HAS_PILLOW:
        pytest.skip("files need Pillow, the extra [image]")
    answered = image_answers.answer(tf, expression, FILES)
    assert image_answers.differing(CASES[expression], answered) == ""


def test_all_cases_are_recorded():
    cases = {*image_answers._expressions(), *image_answers.file_expressions(FILES)}
    assert cases == CASES.keys()


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda x: tf.image.resize_with_crop_or_pad(x, 5, 20), [5, 20, None]),
        (lambda x: tf.image.pad_to_bounding_box(x, 1, 2, 15, 16), [15, 16, None]),
        (lambda x: tf.image.crop_to_bounding_box(x, 1, 2, 4, 5), [4, 5, None]),
        (lambda x: tf.image.resize_with_pad(x, 20, 13), [20, 13, None]),
    ],
)
def test_tensors_of_unknown_rank_are_single_images(function, shape):
    """As what ``tf.image.decode_image`` returns within a map function of a dataset."""
    images = tf.data.Dataset.from_tensors(tf.zeros([9, 12, 3]))
    loose = images.map(lambda x: tf.py_function(tf.identity, [x], x.dtype))
    result = loose.map(function)
    assert result.element_spec.shape.as_list() == shape
    assert [x.shape for x in result] == [(*shape[:2], 3)]
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(loose.batch(2).map(function))


def test_static_shapes_of_grey_levels_and_central_crops():
    grey = tf.function(tf.image.rgb_to_grayscale)
    specs = [tf.TensorSpec([None, None, None]), tf.TensorSpec([2, None, 5, 3])]
    outputs = [grey.get_concrete_function(spec).output_shapes.as_list() for spec in specs]
    assert outputs == [[None, None, 1], [2, None, 5, 1]]
    crop = tf.function(lambda x: tf.image.central_crop(x, 0.5))
    with pytest.raises(ValueError, match=r"rank = 3 or rank = 4\. Had rank = None\."):
        crop.get_concrete_function(tf.TensorSpec(None))
