"""What is checked before a session runs, and how it tells of what failed."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from twinflow._src.core import errors
from twinflow._src.graph.device_checks import exists, last_folded, unassigned
from twinflow._src.graph.symbolic import Operation

_HEADING = "Graph execution error:"


def located(node: Operation, said: str) -> str:
    """A message that tells at which operation something failed.

    Args:
        node: The operation.
        said: What failed.
    """
    return (
        f"{_HEADING}\n\nDetected at node '{node.name}' defined at (most recent call last):\n"
        f"Node: '{node.name}'\n{said}"
    )


def assert_placed(nodes: Sequence[Operation], soft: bool) -> None:
    """Raises InvalidArgumentError where an operation asks for a device that does not exist.

    Args:
        nodes: The operations.
        soft: Whether a device of this process that does not exist may be another one.
    """
    for node in last_folded(nodes):
        if not exists(node, soft):
            raise errors.InvalidArgumentError(None, node, located(node, unassigned(node)))


def assert_fed(nodes: Sequence[Operation], feeds: Sequence[Any]) -> None:
    """Raises InvalidArgumentError where a placeholder needs a value that is not given."""
    given = {id(tensor) for tensor in feeds}
    for node in nodes:
        if node.type == "Placeholder" and id(node.outputs[0]) not in given:
            shape = node.attrs["shape"]
            described = "" if shape.rank is None else f" and shape {_text(shape)}"
            said = (
                f"You must feed a value for placeholder tensor '{node.name}' with dtype "
                f"{node.attrs['dtype'].cname}{described}\n\t [[{{{{node {node.name}}}}}]]"
            )
            raise errors.InvalidArgumentError(None, node, located(node, said))


def _text(shape: Any) -> str:
    return f"[{','.join('?' if n is None else str(n) for n in shape.as_list())}]"


def explained(error: errors.OpError, tensors: Sequence[Any]) -> errors.OpError:
    """The error of an operation as a session tells it.

    Args:
        error: What the plan raised.
        tensors: The tensors that were asked for.
    """
    node = error.op
    start = f"{_HEADING}\n\nDetected at node {getattr(node, 'name', '')}\n"
    if not isinstance(node, Operation) or not error.message.startswith(start):
        return error
    said = error.message.removeprefix(start)
    if node.type == "VariableV2":  # what reads it is not an operation of the program
        place = next((i for i, t in enumerate(tensors) if t.op is node), 0)
        own = said.partition("\n\t [[")[0]
        message = f"{_HEADING}\n\n{own}\n\t [[{{{{node _retval_{node.name}_0_{place}}}}}]]"
    else:
        message = located(node, said)
    return type(error)(None, node, message)


def step_number(step: Any, session: Any) -> int:
    """The number of a step: an integer, or the value of a variable or tensor.

    Args:
        step: The number, variable or tensor.
        session: The session; None where operations run at once.
    """
    if isinstance(step, numbers.Integral):
        return int(step)
    return int(step.numpy() if session is None else session.run(step))
