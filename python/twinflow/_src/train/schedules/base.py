"""Schedules of the rate of learning as a family."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from twinflow._src.train.descriptions import described, made

SCHEDULES = "keras.optimizers.schedules"
_CLASSES: dict[str, type] = {}
C = TypeVar("C", bound=type)


class LearningRateSchedule:
    """The base of schedules: ``__call__`` gives the rate of a step."""

    __module__ = "twinflow.keras.optimizers.schedules"

    # The parameters that make up the configuration, and the attributes that hold them.
    _config: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__module__.split(".")[0] == "twinflow":
            _CLASSES[cls.__name__] = cls

    def __call__(self, step: Any) -> Any:
        """The rate.

        Args:
            step: The number of steps before.

        Returns:
            A scalar.
        """
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )

    def get_config(self) -> dict[str, Any]:
        """What ``from_config`` needs to make the same schedule again."""
        if not self._config:
            raise NotImplementedError(
                f"Learning rate schedule '{type(self).__name__}' must override `get_config()` in order "
                "to be serializable."
            )
        return {name: getattr(self, name) for name in self._config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes a schedule of what ``get_config`` gave."""
        return cls(**config)


def described_schedule(learning_rate_schedule: Any) -> Any:
    """Describes a schedule by plain values.

    Args:
        learning_rate_schedule: A schedule.

    Returns:
        A dictionary.
    """
    return described(learning_rate_schedule, SCHEDULES)


def revived(config: Any, custom_objects: Any = None) -> Any:
    """Makes a schedule of its description.

    Args:
        config: What ``serialize`` gave.
        custom_objects: More classes by their names.

    Returns:
        A schedule.
    """
    return made(config, _CLASSES.get, custom_objects, "decay")


described_schedule.__name__, revived.__name__ = "serialize", "deserialize"
