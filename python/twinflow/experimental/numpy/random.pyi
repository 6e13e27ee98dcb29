# Computed from the op table by tools/make_stubs.py.

from typing import Any

def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Draws samples from a Poisson distribution."""

def rand(*size: Any) -> Any:
    """Draws samples from the uniform distribution over [0, 1)."""

def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = ...) -> Any:
    """Draws random integers from a uniform distribution."""

def randn(*args: Any) -> Any:
    """Draws samples from the standard normal distribution."""

def random(size: Any = None) -> Any:
    """Draws samples from the uniform distribution over [0, 1)."""

def seed(s: Any) -> None:
    """Sets the global seed, like ``tf.random.set_seed``."""

def standard_normal(size: Any = None) -> Any:
    """Draws samples from the standard normal distribution."""

def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Draws samples from a uniform distribution."""
