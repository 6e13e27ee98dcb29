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
