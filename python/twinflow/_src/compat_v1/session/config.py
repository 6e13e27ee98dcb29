"""Configuration messages of sessions."""

from __future__ import annotations

import copy
from typing import Any, ClassVar


class Settings:
    """Base class of configuration messages: fields of fixed names and types.

    Args:
        **fields: Values of fields.

    Raises:
        ValueError: There is no such field.
        TypeError: A value does not match its field.
    """

    # The fields in order, each with its default: a value, a list, a dictionary or a message class.
    _fields: ClassVar[dict[str, Any]] = {}
    # The names of the values of enums, by field.
    _enums: ClassVar[dict[str, dict[int, str]]] = {}

    def __init__(self, **fields: Any) -> None:
        object.__setattr__(self, "_values", {})
        for name, value in fields.items():
            current = self._field(name)
            if isinstance(current, Settings):
                settings = type(current)(**value) if isinstance(value, dict) else value
                current._take(settings, "initialize message field must be dict or")
            elif isinstance(current, list):
                current.extend(value)
            elif isinstance(current, dict):
                current.update(value)
            else:
                setattr(self, name, value)

    def _field(self, name: str) -> Any:
        if name not in self._fields:
            raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        if name not in self._values:
            default = self._fields[name]
            if isinstance(default, (list, dict, type)):
                self._values[name] = default() if isinstance(default, type) else type(default)()
            else:
                return default
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._fields:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._field(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._fields:
            raise AttributeError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        default = self._fields[name]
        if isinstance(default, (list, dict, type)):
            raise AttributeError(
                f'Assignment not allowed to message, map, or repeated field "{name}" in protocol message '
                "object."
            )
        if isinstance(default, str) != isinstance(value, str):
            raise TypeError(
                f"Cannot set {type(self).__name__}.{name} to {value!r}: {value!r} has type {type(value)}, "
                f"but expected one of: {(type(default),)}"
            )
        self._values[name] = type(default)(value)

    def CopyFrom(self, other: Settings) -> None:
        """Copies all fields of another message of the same class."""
        self._take(other, "CopyFrom() must be")

    def _take(self, other: Settings, purpose: str) -> None:
        if type(other) is not type(self):
            raise TypeError(
                f"Parameter to {purpose} instance of same class: expected {type(self)} got {type(other)}."
            )
        object.__setattr__(self, "_values", copy.deepcopy(other._values))

    def HasField(self, name: str) -> bool:
        """Returns True if a field is set."""
        return name in self._values

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    __repr__ = __str__

    def _lines(self) -> list[str]:
        lines: list[str] = []
        for name, default in self._fields.items():
            value = self._values.get(name, default)
            if isinstance(value, Settings):
                lines += [f"{name} {{", *(f"  {line}" for line in value._lines()), "}"]
            elif isinstance(value, dict):
                for key in sorted(value):
                    lines += [
                        f"{name} {{",
                        f"  key: {_text(key)}",
                        f"  value: {_text(value[key])}",
                        "}",
                    ]
            elif isinstance(value, list):
                lines += [f"{name}: {_text(item)}" for item in value]
            elif not isinstance(value, type) and value != default:
                shown = self._enums.get(name, {}).get(value)
                lines.append(f"{name}: {shown or _text(value)}")
        return lines


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else f"{value}"


class GPUOptions(Settings):
    """GPU options; accepted and without effect."""

    _fields: ClassVar[dict[str, Any]] = {
        "per_process_gpu_memory_fraction": 0.0,
        "allocator_type": "",
        "deferred_deletion_bytes": 0,
        "allow_growth": False,
        "visible_device_list": "",
        "polling_active_delay_usecs": 0,
        "polling_inactive_delay_msecs": 0,
        "force_gpu_compatible": False,
    }


class OptimizerOptions(Settings):
    """Options of graph optimization; accepted and without effect."""

    L1, L0 = 0, -1
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    _fields: ClassVar[dict[str, Any]] = {
        "do_common_subexpression_elimination": False,
        "do_constant_folding": False,
        "do_function_inlining": False,
        "opt_level": 0,
        "global_jit_level": 0,
    }
    _enums: ClassVar[dict[str, dict[int, str]]] = {
        "opt_level": {0: "L1", -1: "L0"},
        "global_jit_level": {0: "DEFAULT", -1: "OFF", 1: "ON_1", 2: "ON_2"},
    }


_TOGGLES = (
    "layout_optimizer",
    "constant_folding",
    "arithmetic_optimization",
    "dependency_optimization",
    "loop_optimization",
    "function_optimization",
    "debug_stripper",
    "shape_optimization",
    "remapping",
    "scoped_allocator_optimization",
    "pin_to_host_optimization",
    "implementation_selector",
    "auto_mixed_precision",
    "common_subgraph_elimination",
)
_MEMORY = "DEFAULT_MEM_OPT NO_MEM_OPT MANUAL HEURISTICS SWAPPING_HEURISTICS RECOMPUTATION_HEURISTICS SCHEDULING_HEURISTICS"


class RewriterConfig(Settings):
    """Options of the graph rewriter; accepted and without effect."""

    DEFAULT, ON, OFF, AGGRESSIVE = 0, 1, 2, 3
    DEFAULT_NUM_ITERS, ONE, TWO = 0, 1, 2
    DEFAULT_MEM_OPT, NO_MEM_OPT, MANUAL, HEURISTICS = 0, 1, 2, 3
    SWAPPING_HEURISTICS, RECOMPUTATION_HEURISTICS, SCHEDULING_HEURISTICS = 4, 5, 6
    _fields: ClassVar[dict[str, Any]] = {
        "layout_optimizer": 0,
        "disable_model_pruning": False,
        "constant_folding": 0,
        "memory_optimization": 0,
        "memory_optimizer_target_node_name_scope": "",
        "arithmetic_optimization": 0,
        "dependency_optimization": 0,
        "loop_optimization": 0,
        "function_optimization": 0,
        "debug_stripper": 0,
        "meta_optimizer_iterations": 0,
        "shape_optimization": 0,
        "remapping": 0,
        "scoped_allocator_optimization": 0,
        "min_graph_nodes": 0,
        "pin_to_host_optimization": 0,
        "disable_meta_optimizer": False,
        "meta_optimizer_timeout_ms": 0,
        "fail_on_optimizer_errors": False,
        "implementation_selector": 0,
        "auto_mixed_precision": 0,
        "common_subgraph_elimination": 0,
        "optimizers": [],
    }
    _enums: ClassVar[dict[str, dict[int, str]]] = {
        **{name: {0: "DEFAULT", 1: "ON", 2: "OFF", 3: "AGGRESSIVE"} for name in _TOGGLES},
        "memory_optimization": dict(enumerate(_MEMORY.split())),
        "meta_optimizer_iterations": {0: "DEFAULT_NUM_ITERS", 1: "ONE", 2: "TWO"},
    }


class GraphOptions(Settings):
    """Options of graphs; accepted and without effect."""

    _fields: ClassVar[dict[str, Any]] = {
        "enable_recv_scheduling": False,
        "optimizer_options": OptimizerOptions,
        "build_cost_model": 0,
        "infer_shapes": False,
        "place_pruned_graph": False,
        "rewrite_options": RewriterConfig,
    }


class ConfigProto(Settings):
    """Session configuration.

    ``allow_soft_placement`` and ``operation_timeout_in_ms`` have an effect, the other fields are
    accepted.
    """

    _fields: ClassVar[dict[str, Any]] = {
        "device_count": {},
        "intra_op_parallelism_threads": 0,
        "placement_period": 0,
        "device_filters": [],
        "inter_op_parallelism_threads": 0,
        "gpu_options": GPUOptions,
        "allow_soft_placement": False,
        "log_device_placement": False,
        "use_per_session_threads": False,
        "graph_options": GraphOptions,
        "operation_timeout_in_ms": 0,
        "isolate_session_state": False,
    }


class RunOptions(Settings):
    """Options of one run: ``timeout_in_ms`` has an effect, the other fields are accepted."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)
    _fields: ClassVar[dict[str, Any]] = {
        "trace_level": 0,
        "timeout_in_ms": 0,
        "inter_op_thread_pool": 0,
        "output_partition_graphs": False,
    }
    _enums: ClassVar[dict[str, dict[int, str]]] = {
        "trace_level": dict(
            enumerate(("NO_TRACE", "SOFTWARE_TRACE", "HARDWARE_TRACE", "FULL_TRACE"))
        )
    }


class StepStats(Settings):
    """Statistics of ops in a run; always empty."""

    _fields: ClassVar[dict[str, Any]] = {"dev_stats": []}


class RunMetadata(Settings):
    """Metadata of a run; always empty."""

    _fields: ClassVar[dict[str, Any]] = {
        "step_stats": StepStats,
        "cost_graph": {},
        "partition_graphs": [],
    }
