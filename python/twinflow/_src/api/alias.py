"""The alias ``tensorflow`` of twinflow: programs and libraries that import TensorFlow get twinflow.

A finder answers ``import tensorflow`` and ``import tensorflow.x.y``. Public names are twinflow's own
objects; of TensorFlow's private modules those names exist that ``private_names.txt`` lists. While the
alias is on, classes have TensorFlow's texts of ``__module__``, by which libraries tell the tensors of
one framework from those of another.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

import twinflow
from twinflow._src.api import lazy_modules, private_names
from twinflow._src.compat_v1 import keras_2
from twinflow._src.core.scopes import get_logger

_NAME = "tensorflow"
# Contains ``tensorflow.py``, which spawned processes find on the search path that they inherit.
_CHILD_PATH = os.path.join(os.path.dirname(__file__), "child_path")
# The packages that are ``tensorflow.keras``: Keras 3, and Keras 2 of TensorFlow 2 or 1, where programs choose it.
_KERAS = "keras._tf_keras.keras"
_LEGACY_KERAS = "tf_keras.api._{}.keras"


def as_tensorflow(force: bool = False) -> Any:
    """Makes ``import tensorflow`` import twinflow, in this process and those that it spawns.

    ``tensorflow.keras`` is Keras 3 where that is installed, or the package ``tf_keras`` if the environment
    variable ``TF_USE_LEGACY_KERAS`` is ``1`` or ``true``, as in TensorFlow. Processes that ``multiprocessing`` starts
    have the alias, too; other programs are started by ``python -m twinflow.run``.

    Args:
        force: Whether to replace a TensorFlow that is installed or imported already.

    Returns:
        The module ``tensorflow``.

    Raises:
        ImportError: TensorFlow is imported already or installed, and ``force`` is False.
    """
    if not is_on():
        if not force:
            _refuse_tensorflow()
        _switch_on()
    return sys.modules[_NAME]


def is_on() -> bool:
    """True if ``import tensorflow`` imports twinflow."""
    return _FINDER in sys.meta_path


def _refuse_tensorflow() -> None:
    advice = "`twinflow.as_tensorflow(force=True)` replaces it."
    if _NAME in sys.modules:
        origin = getattr(sys.modules[_NAME], "__file__", None)
        raise ImportError(
            f"TensorFlow is imported already ({origin}); call `twinflow.as_tensorflow()` before the "
            f"first `import tensorflow`. {advice}",
            name=_NAME,
        )
    spec = importlib.util.find_spec(_NAME)
    if spec is not None and spec.origin != os.path.join(_CHILD_PATH, f"{_NAME}.py"):
        raise ImportError(f"TensorFlow is installed ({spec.origin}). {advice}", name=_NAME)


def _switch_on() -> None:
    _forget_modules()
    sys.meta_path.insert(0, _FINDER)
    if _CHILD_PATH not in sys.path:
        sys.path.append(_CHILD_PATH)
    for row in _class_rows().values():
        _rename(row, row.loaded_object())
    lazy_modules.RESOLVED.append(_rename_public)
    private_names.RESOLVED.append(_rename)
    keras_2.FINDERS.append(_legacy_part)
    importlib.import_module(_NAME)


def switch_off() -> None:
    """Removes the alias; modules that imported it keep it."""
    if not is_on():
        return
    sys.meta_path.remove(_FINDER)
    lazy_modules.RESOLVED.remove(_rename_public)
    private_names.RESOLVED.remove(_rename)
    keras_2.FINDERS.remove(_legacy_part)
    if _CHILD_PATH in sys.path:
        sys.path.remove(_CHILD_PATH)
    while _OWN_NAMES:
        kind, names = _OWN_NAMES.popitem()
        kind.__module__, kind.__qualname__, kind.__name__ = names
    _forget_modules()


def _forget_modules() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == _NAME]:
        del sys.modules[name]
    _namespace.cache_clear()


# ------------------------------------------------------------------ modules


class _Finder(MetaPathFinder, Loader):
    """Import hook for ``tensorflow`` and the modules below it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        parts = fullname.split(".")
        if parts[0] != _NAME:
            return None
        if _find_module(fullname) is None:
            if len(parts) > 1 and parts[1] in private_names.ROOTS:
                raise ModuleNotFoundError(private_names.absence(fullname), name=fullname)
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        sys.modules[name] = _find_module(name) or module
        if name in _NAMESPACES:
            sys.modules[name].__spec__ = module.__spec__


_FINDER = _Finder()
# Modules of the alias that differ from twinflow's; all others are those of twinflow.
_NAMESPACES = (_NAME, f"{_NAME}.compat", f"{_NAME}.compat.v1", f"{_NAME}.compat.v2")
_KERAS_NAMES = (f"{_NAME}.keras", f"{_NAME}.compat.v1.keras", f"{_NAME}.compat.v2.keras")
# Modules of Keras that are public names of TensorFlow, too.
_KERAS_PARTS = ("initializers", "losses", "metrics", "optimizers")


class _Namespace(ModuleType):
    """A module with the names of a module of twinflow, Keras, and private names."""

    def __init__(self, name: str, original: ModuleType) -> None:
        super().__init__(name, original.__doc__)
        self._original = original
        self.__path__: list[str] = []
        self.__package__, self.__file__ = name, twinflow.__file__

    def __getattr__(self, name: str) -> Any:
        value = _find_name(f"{self.__name__}.{name}")
        if value is None:
            value = getattr(self._original, name)
        if name != "__all__":
            vars(self)[name] = value
        return value

    def __dir__(self) -> list[str]:
        return dir(self._original)


@functools.cache
def _namespace(name: str) -> ModuleType:
    return _Namespace(name, importlib.import_module(name.replace(_NAME, "twinflow", 1)))


def _find_name(path: str) -> Any:
    """Returns the object of a name that twinflow's modules do not have, or None."""
    if path in _NAMESPACES:
        return _namespace(path)
    if path in _KERAS_NAMES:
        return _keras(path)
    parent, _, leaf = path.rpartition(".")
    if leaf in _KERAS_PARTS and parent in (_NAME, f"{_NAME}.compat.v2"):
        keras = _keras(parent)
        if keras is not None:
            return getattr(keras, leaf)
    return private_names.find(path)


def _legacy_keras(path: str) -> ModuleType:
    """Returns Keras 2 as TensorFlow has it below a name, that of TensorFlow 1 below ``compat.v1``."""
    try:
        importlib.import_module("tf_keras")
    except ModuleNotFoundError as error:
        if error.name != "tf_keras":
            raise
        get_logger().warning(
            "Your environment has TF_USE_LEGACY_KERAS set to True, but you do not have the tf_keras "
            "package installed. You must install it in order to use the legacy tf.keras. Install it "
            "via: `pip install tf_keras`"
        )
        raise ImportError("Keras cannot be imported. Check that it is installed.") from None
    version = "v1" if path.startswith(f"{_NAME}.compat.v1") else "v2"
    return importlib.import_module(_LEGACY_KERAS.format(version))


def _legacy_part(name: str) -> ModuleType | None:
    """Returns Keras 2's module of a name below ``compat.v1`` where programs choose Keras 2, else None."""
    if not _uses_legacy_keras():
        return None
    legacy = _legacy_keras(f"{_NAME}.compat.v1").__internal__.legacy
    return cast(ModuleType, getattr(legacy, name))


def _uses_legacy_keras() -> bool:
    """True if the environment chooses Keras 2, by TensorFlow's variable."""
    return os.environ.get("TF_USE_LEGACY_KERAS") in ("true", "True", "1")


def _keras(path: str) -> ModuleType | None:
    """Returns Keras as TensorFlow has it below a name, None where Keras 3 is not installed."""
    if _uses_legacy_keras():
        return _legacy_keras(path)
    if importlib.util.find_spec("keras") is None:
        return None
    try:
        return importlib.import_module(_KERAS)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{_KERAS}.".startswith(f"{error.name}."):
            raise
        return None  # an older Keras


def _find_module(name: str) -> ModuleType | None:
    """Returns the module that is imported as ``tensorflow.x.y``, or None."""
    if name in _NAMESPACES:
        return _namespace(name)
    for keras in _KERAS_NAMES:
        package = _keras(keras) if name.startswith(f"{keras}.") else None
        if package is not None:
            return importlib.import_module(package.__name__ + name.removeprefix(keras))
    parent, _, leaf = name.rpartition(".")
    value = getattr(sys.modules.get(parent) or _find_module(parent), leaf, None)
    return value if isinstance(value, ModuleType) else None


# ------------------------------------------------------------------ texts of ``__module__``

# The own modules, qualified names and names of the classes that have TensorFlow's; bounded by the table.
_OWN_NAMES: dict[type, tuple[str, str, str]] = {}


@functools.cache
def _class_rows() -> dict[str, private_names.Row]:
    """Returns the rows that say where TensorFlow defines classes, by twinflow's path."""
    return {row.path: row for row in private_names.rows().values() if row.is_class_definition}


def own_class_names(names: Sequence[str]) -> list[str]:
    """Returns twinflow's own names of classes that have TensorFlow's, as R dispatches on them.

    Args:
        names: Full names of classes; those of other classes are returned as they are.
    """
    names_here = {
        f"{kind.__module__}.{kind.__qualname__}": f"{module}.{qualified}"
        for kind, (module, qualified, _) in _OWN_NAMES.items()
    }
    return [names_here.get(name, name) for name in names]


@functools.cache
def _internal_rows() -> list[private_names.Row]:
    """Returns the rows of classes without a public name."""
    return [row for row in _class_rows().values() if ":" in row.path]


def _rename_public(path: str, value: Any) -> None:
    if path in _class_rows():
        _rename(_class_rows()[path], value)
    for row in _internal_rows():  # whose modules may have come with the public name
        _rename(row, row.loaded_object())


def _rename(row: private_names.Row, value: Any) -> None:
    if row.is_class_definition and inspect.isclass(value) and value not in _OWN_NAMES:
        _OWN_NAMES[value] = value.__module__, value.__qualname__, value.__name__
        value.__module__ = row.module
        value.__qualname__ = value.__name__ = row.name.rpartition(".")[2]
