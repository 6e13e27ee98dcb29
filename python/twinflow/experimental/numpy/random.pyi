# Computed from the op table by tools/make_stubs.py.

from typing import Any

def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Returns numbers from a Poisson distribution."""

def rand(*size: Any) -> Any:
    """Returns numbers that are evenly distributed between 0 and 1."""

def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = ...) -> Any:
    """Returns integers that are evenly distributed between bounds."""

def randn(*args: Any) -> Any:
    """Returns numbers from the standard normal distribution."""

def random(size: Any = None) -> Any:
    """Returns numbers that are evenly distributed between 0 and 1."""

def seed(s: Any) -> None:
    """Sets the global seed, as ``tf.random.set_seed`` does."""

def standard_normal(size: Any = None) -> Any:
    """Returns numbers from the standard normal distribution."""

def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Returns numbers that are evenly distributed between bounds."""
