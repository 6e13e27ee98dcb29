"""Which shapes the choice of TensorFlow 1 between two tensors takes."""

from __future__ import annotations

from ..errors import invalid


def check_select(condition: list[int], x: list[int], y: list[int]) -> None:
    """Refuses shapes between which nothing can be chosen without broadcasting.

    Args:
        condition: The shape of the conditions.
        x: That of what is taken where they hold.
        y: That of what is taken elsewhere.
    """
    shown = [str(shape).replace(" ", "") for shape in (condition, x, y)]
    if not condition and x != y:
        raise invalid(f"'then' and 'else' must have the same size.  but received: {shown[1]} vs. {shown[2]}")
    if not condition:
        return
    if len(condition) == 1 and len(x) > 1:
        if x[0] != condition[0]:
            raise invalid(f"Number of batches of 'then' must match size of 'cond', but saw: {x[0]} vs. {condition[0]}")
        if x != y:
            raise invalid(f"'then' and 'else' must have the same size.  but received: {shown[1]} vs. {shown[2]}")
        return
    for i, shape in enumerate((x, y), 1):
        if shape != condition:
            raise invalid(
                "Inputs to operation Select of type Select must have the same size and shape.  Input 0: "
                f"{shown[0]} != input {i}: {shown[i]}"
            )
