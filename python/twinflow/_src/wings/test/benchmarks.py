"""``tf.test.Benchmark``: benchmarks as methods of classes, and their reports."""

from __future__ import annotations

import inspect
import re
import time
from typing import Any, ClassVar

import numpy as np

from twinflow._src.compat_v1.session.config import ConfigProto, RewriterConfig


def benchmark_config() -> ConfigProto:
    """Returns the session configuration for benchmarks."""
    config = ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = RewriterConfig.OFF
    return config


class Benchmark:
    """Base class of benchmarks, whose ``benchmark*`` methods are run by ``tf.test.main``."""

    __module__ = "twinflow.test"

    _subclasses: ClassVar[list[type[Benchmark]]] = []

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        Benchmark._subclasses.append(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        """Returns True if the class has no benchmark methods."""
        return not any(name.startswith("benchmark") for name in dir(cls))

    def evaluate(self, tensors: Any) -> Any:
        """Returns the values of tensors; see ``tf.test.TestCase.evaluate``."""
        from twinflow._src.wings.test.evaluation import EvaluationMixin

        return EvaluationMixin.evaluate(self, tensors)  # type: ignore[arg-type]

    def _get_name(self, overwrite_name: str | None = None) -> str:
        """Returns the name of the benchmark: the class and the calling method."""
        if overwrite_name:
            return f"{type(self).__name__}.{overwrite_name}"
        names = [frame.function for frame in inspect.stack()]
        method = next((name for name in names if name.startswith("benchmark")), None)
        if method is None:
            raise ValueError("Unable to determine calling Benchmark class.")
        return f"{type(self).__name__}.{method}"

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: Any = None,
        name: str | None = None,
        metrics: Any = None,
    ) -> None:
        """Prints the report of a benchmark.

        Args:
            iters: The number of iterations.
            cpu_time: The median CPU time in seconds.
            wall_time: The median wall time in seconds.
            throughput: The throughput in MB/s.
            extras: Additional numbers or strings, by name.
            name: A name instead of the method's.
            metrics: Dictionaries with ``name``, ``value`` and optionally ``min_value`` and
                ``max_value``.
        """
        lines = [f'name: "{self._get_name(name)}"']
        numbers = {
            "iters": iters,
            "cpu_time": cpu_time,
            "wall_time": wall_time,
            "throughput": throughput,
        }
        lines += [f"{key}: {value:g}" for key, value in numbers.items() if value is not None]
        for key in sorted(extras or {}):
            value = extras[key]
            text = (
                f'string_value: "{value}"' if isinstance(value, str) else f"double_value: {value:g}"
            )
            lines += ["extras {", f'  key: "{key}"', "  value {", f"    {text}", "  }", "}"]
        for metric in metrics or ():
            values = [
                f"  {key}: {metric[key]:g}"
                for key in ("value", "min_value", "max_value")
                if key in metric
            ]
            lines += ["metrics {", f'  name: "{metric["name"]}"', *values, "}"]
        print("\n".join(["entry {", *(f"  {line}" for line in lines), "}", ""]))

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: Any = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Benchmarks an op of a graph, and reports the result.

        Args:
            sess: The session.
            op_or_tensor: The op, or a tensor.
            feed_dict: Values for tensors.
            burn_iters: The number of warm-up runs.
            min_iters: The number of measured runs.
            store_trace: Accepted and without effect.
            store_memory_usage: Accepted and without effect.
            name: A name instead of the method's.
            extras: Additional numbers or strings, by name.
            mbs: The amount of data per run in MB.

        Returns:
            The reported values.
        """
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        times = []
        for _ in range(min_iters):
            begin = time.perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            times.append(time.perf_counter() - begin)
        median = float(np.median(times))
        spread = {"wall_time_mean": float(np.mean(times)), "wall_time_stdev": float(np.std(times))}
        report: dict[str, Any] = {
            "iters": min_iters,
            "wall_time": median,
            "throughput": mbs / median if median else 0.0,
            "extras": {**(extras or {}), **spread},
            "name": name,
        }
        self.report_benchmark(**report)
        return {**report, "name": self._get_name(name)}


def run_benchmarks(pattern: str) -> None:
    """Runs all benchmark methods whose ``Class.method`` matches a regular expression."""
    for kind in Benchmark._subclasses:
        for name in dir(kind):
            if name.startswith("benchmark") and re.search(
                pattern, f"{kind.__module__}.{kind.__name__}.{name}"
            ):
                getattr(kind(), name)()
