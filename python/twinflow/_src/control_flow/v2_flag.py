"""What a program has asked for of branches and loops."""

from __future__ import annotations


class Modes:
    """Settings of the process.

    Attributes:
        control_flow: Whether the results of branches and loops have the names that they have in TensorFlow 2.
    """

    control_flow = True


modes = Modes()
