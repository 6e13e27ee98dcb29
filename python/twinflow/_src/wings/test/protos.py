"""Messages of protocol buffers as tests compare them."""

from __future__ import annotations

import difflib
import math
import re
from typing import Any

from twinflow._src.core.protos import needed
from twinflow._src.graph_serialization.tensor_proto import values_of


def parsed(text: Any, like: Any) -> Any:
    """A message of its text.

    Args:
        text: The text.
        like: A message of the same kind.
    """
    return _text_format().Parse(text, type(like)())


def _text_format() -> Any:
    return needed("google.protobuf.text_format", "protobuf")


def differences(a: Any, b: Any, relative_tolerance: float | None) -> str:
    """The lines in which the texts of two messages differ.

    Args:
        a: A message.
        b: Another one.
        relative_tolerance: How much numbers may differ by, or None.
    """
    texts = [_text_format().MessageToString(x).splitlines(keepends=True) for x in (a, b)]
    if relative_tolerance is not None and len(texts[0]) == len(texts[1]):
        pairs = zip(*texts)
        texts[1] = [x if _close(x, y, relative_tolerance) else y for x, y in pairs]
    if texts[0] == texts[1]:
        return ""
    return "".join(line for line in difflib.ndiff(*texts) if not line.startswith(" "))


_NUMBER = re.compile(r"(.*: )(-?[\d.]+(?:e[-+]?\d+)?)\s*", re.I | re.S)


def _close(a: str, b: str, tolerance: float) -> bool:
    x, y = _NUMBER.fullmatch(a), _NUMBER.fullmatch(b)
    if x is None or y is None or x[1] != y[1]:
        return a == b
    return math.isclose(float(x[2]), float(y[2]), rel_tol=tolerance)


def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Fails where two graphs, as messages, differ in a node.

    Args:
        expected: A ``GraphDef``.
        actual: Another one.

    Raises:
        TypeError: One is something else.
        AssertionError: They differ.
    """
    for name, value in (("actual", actual), ("expected", expected)):
        if type(value).__name__ != "GraphDef":
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(value).__name__}")
    nodes = [{node.name: node for node in graph.node} for graph in (expected, actual)]
    missing, other = (sorted(a.keys() - b.keys()) for a, b in (nodes, nodes[::-1]))
    if missing or other:
        raise AssertionError(f"The graphs have other nodes: expected but missing {missing}, not expected {other}")
    for name, node in nodes[0].items():
        _assert_equal_nodes(node, nodes[1][name])


def _assert_equal_nodes(expected: Any, actual: Any) -> None:
    for key in sorted({*expected.attr, *actual.attr}):
        values = [node.attr.get(key) for node in (actual, expected)]
        if values[0] != values[1]:
            ours, theirs = map(_summary, values)
            raise AssertionError(
                f"Node named '{expected.name}' has attr '{key}' with value: {ours} that does not match expected: {theirs}"
            )
    found = differences(expected, actual, None)
    if found:
        raise AssertionError(f"The node '{expected.name}' is not as expected:\n{found}")


def _summary(value: Any) -> str:
    """An attribute's value in a line."""
    if value is None:
        return "none"
    if value.WhichOneof("value") != "tensor":
        text: str = _text_format().MessageToString(value, as_one_line=True)
        return text
    array, dtype = values_of(value.tensor)
    numbers = " ".join(map(str, array.reshape(-1).tolist()))
    return f"Tensor<type: {dtype.cname} shape: {list(array.shape)} values: {numbers}>"


def assert_equal_graph_def_v1(actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False) -> None:
    """As ``assert_equal_graph_def``, with the graphs in the other order.

    Args:
        actual: A ``GraphDef``.
        expected: Another one.
        checkpoint_v2: Accepted and without effect.
        hash_table_shared_name: Accepted and without effect.
    """
    assert_equal_graph_def(expected, actual)
