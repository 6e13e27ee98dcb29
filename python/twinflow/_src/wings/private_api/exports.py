"""Public names that libraries give to their own functions and classes."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")
# Objects by exported name; bounded by the number of names.
_EXPORTED: dict[str, Any] = {}


class api_export:
    """Decorator that gives a function or class public names.

    Args:
        *args: The names, the canonical one first.
        api_name: The library; its name is part of that of the attribute with the names.
        v1: The names under version 1 behavior.
        allow_multiple_exports: Without effect.
    """

    def __init__(
        self,
        *args: str,
        api_name: str = "tensorflow",
        v1: Sequence[str] | None = None,
        allow_multiple_exports: bool = True,
    ) -> None:
        self._names, self._v1 = args, args if v1 is None else v1
        self._attribute = f"_{'tf' if api_name == 'tensorflow' else api_name}_api_names"

    def __call__(self, func: T) -> T:
        setattr(func, self._attribute, self._names)
        setattr(func, f"{self._attribute}_v1", self._v1)
        for name in (*self._names, *self._v1):
            _EXPORTED[name] = func
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Gives public names to a constant of a module.

        Args:
            module_name: The name of the module.
            name: The name of the constant in it.
        """
        names = f"{self._attribute}_constants"
        module = sys.modules[module_name]
        constants = vars(module).setdefault(names, [])
        constants.append((self._names, name))


tf_export = functools.partial(api_export, api_name="tensorflow")
keras_export = functools.partial(api_export, api_name="keras")


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """Returns the public name of a function or class; None without one.

    Args:
        symbol: A function or class.
        api_name: The library.
        add_prefix_to_v1_names: Whether names of version 1 begin with ``compat.v1.``.
    """
    attribute = f"_{'tf' if api_name == 'tensorflow' else api_name}_api_names"
    owned = vars(symbol) if hasattr(symbol, "__dict__") else {}
    for names, prefix in ((attribute, ""), (f"{attribute}_v1", "compat.v1.")):
        if owned.get(names):
            return (prefix if add_prefix_to_v1_names else "") + str(owned[names][0])
    if api_name != "tensorflow" or not (inspect.isroutine(symbol) or inspect.isclass(symbol)):
        return None
    return _public_names().get(id(inspect.unwrap(symbol)))


@functools.cache
def _public_names() -> dict[int, str]:
    """Returns the canonical names of twinflow's functions and classes by the ids of these.

    A function that a wrapper serves has the id of that which it wraps.
    """
    from twinflow._src.dispatch.op import API

    names: dict[int, str] = {}
    for name, value in API.items():
        key = id(inspect.unwrap(value)) if callable(value) else id(value)
        shorter = names.get(key, "")
        if not name.startswith("compat.") and (not shorter or ("." in name) > ("." in shorter)):
            names[key] = name
    return names


def get_symbol_from_name(name: str) -> Any:
    """Returns the function or class of a public name; None for other names.

    Args:
        name: A name that was exported, or one of TensorFlow's.
    """
    from twinflow._src.dispatch.op import API

    symbol = _EXPORTED[name] if name in _EXPORTED else API.get(name)
    return API.get(name.removeprefix("compat.v1.")) if symbol is None else symbol


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Sequence[str] | None = None,
    doc_string_modules: Sequence[Any] | None = None,
) -> None:
    """Deletes the names of a module that docstrings do not list, but those with an underscore.

    Args:
        module_name: The name of the module.
        allowed_exception_list: Names that stay.
        doc_string_modules: Modules in whose docstrings lines ``@@name`` list names; the module itself if None.
    """
    module = sys.modules[module_name]
    keep = set(allowed_exception_list or ())
    for each in [module] if doc_string_modules is None else doc_string_modules:
        keep.update(re.findall(r"^@@(\S+)", each.__doc__ or "", re.MULTILINE))
    for name in dir(module):
        if not name.startswith("_") and name not in keep:
            delattr(module, name)
