"""Docstrings that are completed: by another function's, and by the definition of an op."""

import inspect

import twinflow as tf
from twinflow._src.dispatch.docstrings import document_name, documented_like


def first(x, axis, keepdims=False, name=None):
    """Returns the first.

    Args:
        x: A tensor.
        axis: The axis, whose text
            is long.
        keepdims: True or False.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        ValueError: There is none.
    """


def test_a_function_has_the_texts_of_another_for_its_own_parameters():
    @documented_like(first)
    def last(axis, x, *, name=None):
        """Returns the last."""

    assert last.__doc__.split("\n") == [
        "Returns the last.",
        "",
        "Args:",
        "    axis: The axis, whose text",
        "        is long.",
        "    x: A tensor.",
        "    name: A name for the operation.",
        "",
        "Returns:",
        "    A tensor.",
        "",
        "Raises:",
        "    ValueError: There is none.",
    ]


def test_own_texts_come_first():
    @documented_like(first)
    def last(x, axis):
        """Returns the last.

        And more.

        Args:
            x: A list.

        Returns:
            A number.
        """

    assert last.__doc__ == (
        "Returns the last.\n\nAnd more.\n\nArgs:\n    x: A list.\n    axis: The axis, whose text\n"
        "        is long.\n\nReturns:\n    A number.\n\nRaises:\n    ValueError: There is none."
    )


def test_without_docstrings_nothing_is_added():
    def silent(x): ...

    assert documented_like(first)(silent).__doc__ is None
    assert documented_like(silent)(first) is first


def test_elementwise_ops_have_the_sections_that_their_definition_implies():
    assert inspect.getdoc(tf.exp) == (
        "Returns the exponential of x, element-wise.\n\nArgs:\n"
        "    x: A floating-point or complex tensor.\n\nReturns:\n"
        "    A tensor of the same dtype and shape."
    )
    assert inspect.getdoc(tf.less).endswith(
        "Args:\n    x: A real-valued tensor.\n    y: A tensor of the same dtype, broadcast against x.\n\n"
        "Returns:\n    A boolean tensor."
    )


def test_the_parameter_name_is_documented():
    def last(x, name=None):
        """Returns the last.

        Args:
            x: A tensor.

        Returns:
            A tensor.
        """

    document_name(last)
    document_name(last)  # changes nothing
    assert inspect.cleandoc(last.__doc__) == (
        "Returns the last.\n\nArgs:\n    x: A tensor.\n    name: A name for the operation.\n\n"
        "Returns:\n    A tensor."
    )
    document_name(first)
    assert first.__doc__.count("name:") == 1
