"""``tf.data.Options`` and its parts, policies, and datasets with options."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

from twinflow._src.wings.data.dataset import (
    DatasetV2,
    UnaryUnchangedStructureDataset,
    makes,
)
from twinflow._src.wings.data.dataset_ops import build_variant, builds
from twinflow._src.wings.data.stages import FilteredStage, Run, Stage, StageIterator


class AutoShardPolicy(enum.IntEnum):
    """Policy by which datasets are split among workers."""

    __module__ = "twinflow.data.experimental"

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """Policy for external state when an iterator is saved."""

    __module__ = "twinflow.data.experimental"

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """Algorithm by which parallelism is tuned."""

    __module__ = "twinflow.data.experimental"

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


def _option(name: str) -> property:
    """Returns the property of an option."""

    def read(self: OptionsBase) -> Any:
        kind, values = self._types[name], self._values
        if name not in values and issubclass(kind, OptionsBase):
            values[name] = kind()
        return values.get(name, self._defaults.get(name))

    def write(self: OptionsBase, value: Any) -> None:
        kind = self._types[name]
        if value is not None and not isinstance(value, kind):
            raise TypeError(
                f'Property "{name}" must be of type {kind}, got: {value} (type: {type(value)})'
            )
        self._values[name] = value

    return property(read, write, doc=f"The option {name}; None until it is set.")


class OptionsBase:
    """Base class of options: attributes of known names and types, None until they are set."""

    _types: dict[str, Any] = {}
    _defaults: dict[str, Any] = {}
    _aliases: dict[str, str] = {}
    _values: dict[str, Any]

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})

    def __init_subclass__(cls) -> None:
        """Defines a property for each option."""
        for name in cls._types:
            setattr(cls, name, _option(name))
        for alias, name in cls._aliases.items():
            setattr(cls, alias, _option(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._types and name not in self._aliases:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def _settings(self) -> dict[str, Any]:
        """Returns the values that are set, those of parts among them."""
        parts = {
            name: value._settings() if isinstance(value, OptionsBase) else value
            for name, value in self._values.items()
        }
        return {name: value for name, value in parts.items() if value not in (None, {})}

    def __eq__(self, other: Any) -> Any:
        if type(other) is not type(self):
            return NotImplemented
        return self._settings() == other._settings()

    def __ne__(self, other: Any) -> Any:
        return not self == other

    def __hash__(self) -> int:
        return hash(repr(sorted(self._settings().items())))


class AutotuneOptions(OptionsBase):
    """Options of the tuning of parallelism.

    Buffers of ``tf.data.AUTOTUNE`` elements grow while the consumer waits, up to ``ram_budget``. The
    number of parallel calls is that of the cores; the other options have no effect.

    Attributes:
        enabled: True to tune.
        cpu_budget: The number of cores to use.
        ram_budget: The number of bytes that a buffer may take, 256 MB if None.
        autotune_algorithm: The algorithm.
        initial_parallelism: The parallelism at the start.
        min_parallelism: The least parallelism.
    """

    __module__ = "twinflow.data.experimental"

    _types = {
        "enabled": bool,
        "cpu_budget": int,
        "ram_budget": int,
        "autotune_algorithm": AutotuneAlgorithm,
        "initial_parallelism": int,
        "min_parallelism": int,
    }


class DistributeOptions(OptionsBase):
    """Options of the distribution among workers.

    Attributes:
        auto_shard_policy: The policy by which elements are split.
        num_devices: The number of devices.
    """

    __module__ = "twinflow.data.experimental"

    _types = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}
    _defaults = {"auto_shard_policy": AutoShardPolicy.AUTO}


class OptimizationOptions(OptionsBase):
    """Options of static optimizations; they change no element."""

    __module__ = "twinflow.data.experimental"

    _types = dict.fromkeys(
        [
            "apply_default_optimizations",
            "filter_fusion",
            "filter_parallelization",
            "inject_prefetch",
            "map_and_batch_fusion",
            "map_and_filter_fusion",
            "map_fusion",
            "map_parallelization",
            "noop_elimination",
            "parallel_batch",
            "seq_interleave_prefetch",
            "shuffle_and_repeat_fusion",
        ],
        bool,
    )


class ThreadingOptions(OptionsBase):
    """Options of threads.

    Attributes:
        max_intra_op_parallelism: The number of threads of an operation; has no effect.
        private_threadpool_size: The number of threads of the pipeline; if None or 0, each stage has
            as many as elements that it computes at the same time.
    """

    __module__ = "twinflow.data"

    _types = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


class ServiceOptions(OptionsBase):
    """Options of the data service, which is not part of this package.

    Attributes:
        pinned: True if a pipeline stays on its worker.
    """

    __module__ = "twinflow.data.experimental"

    _types = {"pinned": bool}


class Options(OptionsBase):
    """Options of a dataset: how elements are computed, not which.

    Attributes:
        autotune: The options of the tuning of parallelism.
        dataset_name: A name.
        deterministic: If False, parallel computation may yield elements in another order.
        experimental_deterministic: Deprecated name of ``deterministic``.
        experimental_distribute: The options of the distribution among workers.
        experimental_external_state_policy: The policy for external state.
        experimental_optimization: The options of static optimizations.
        experimental_service: The options of the data service.
        experimental_slack: True to start a prefetch later; has no effect.
        experimental_symbolic_checkpoint: True for small checkpoints of iterators.
        experimental_threading: Deprecated name of ``threading``.
        experimental_warm_start: True to compute first elements when the iterator is created.
        framework_type: The frameworks that use the pipeline.
        threading: The options of threads.
    """

    __module__ = "twinflow.data"

    _types = {
        "autotune": AutotuneOptions,
        "dataset_name": str,
        "deterministic": bool,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions,
        "experimental_service": ServiceOptions,
        "experimental_slack": bool,
        "experimental_symbolic_checkpoint": bool,
        "experimental_warm_start": bool,
        "framework_type": list,
        "threading": ThreadingOptions,
    }
    _aliases = {
        "experimental_deterministic": "deterministic",
        "experimental_threading": "threading",
    }

    def merge(self, options: Options) -> Options:
        """Returns these options, in which set values of others take precedence.

        Args:
            options: The other options.
        """
        return merge_options(self, options)


def merge_options(first: Any, second: Any) -> Any:
    """Returns options in which the set values of the second ones take precedence."""
    result = type(first)()
    for source in (first, second):
        for name, value in source._values.items():
            if isinstance(value, OptionsBase):
                result._values[name] = merge_options(getattr(result, name), value)
            elif value is not None:
                result._values[name] = value
    return result


class OptionsStage(FilteredStage):
    """The elements of a source, with options.

    Args:
        source: The stage of the elements.
        settings: The options that are set, by their paths.
    """

    def __init__(self, source: Stage, settings: dict[str, Any]) -> None:
        super().__init__(source)
        self.settings = settings

    def iterate(self, run: Run) -> StageIterator:
        """Returns the iterator of the source."""
        return self.inputs[0].iterate(run)


class _OptionsDataset(UnaryUnchangedStructureDataset):
    """The elements of a dataset, with options."""

    _set_options: Options


@builds("OptionsDataset")
def _options_stage(settings: dict[str, Any], source: Stage) -> Stage:
    return OptionsStage(source, settings)


@makes("with_options")
def _with_options(dataset: DatasetV2, options: Options, name: str | None = None) -> DatasetV2:
    if not isinstance(options, Options):
        raise AttributeError(f"{type(options).__name__!r} object has no attribute '_to_proto'")
    merged = merge_options(Options(), options)
    settings = dict(_paths(merged._settings(), ""))
    result = _OptionsDataset(dataset, build_variant("OptionsDataset", (settings,), [dataset]))
    result._set_options = merged
    return result


def _paths(settings: dict[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """Yields the paths and the values of settings."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _paths(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


@makes("options")
def options_of(dataset: DatasetV2) -> Options:
    """Returns the options of a dataset and of those that it reads."""
    result = Options()
    for source in dataset._inputs():
        result = merge_options(result, options_of(source))
    set_options = getattr(dataset, "_set_options", None)
    return result if set_options is None else merge_options(result, set_options)
