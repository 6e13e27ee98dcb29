"""The process-wide settings of functions."""

from __future__ import annotations

from ..op import export


class Settings:
    """What holds for all functions."""

    run_eagerly = False


settings = Settings()


@export("config.run_functions_eagerly", "config.experimental_run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes all functions run as Python, without a graph, or as usual again.

    Args:
        run_eagerly: Whether they run as Python.
    """
    settings.run_eagerly = bool(run_eagerly)


@export("config.functions_run_eagerly", "config.experimental_functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Returns whether functions run as Python, without a graph."""
    return settings.run_eagerly
