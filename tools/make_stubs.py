"""Computes the stubs, ``python/twinflow/**/*.pyi``, from the public names: what editors and type checkers read.

python tools/make_stubs.py            # part of `make docs`: write them
python tools/make_stubs.py --check    # exit status 1 if they are not what would be written

The public names are bound when they are first asked for, so that no tool can see them in the code. A stub has
each of them: functions with their signatures, classes as imports from the modules that define them, constants with
their types. Python itself never reads a stub.
"""

from __future__ import annotations

import ast
import functools
import inspect
import keyword
import math
import pathlib
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple

import late_names

import twinflow
from twinflow._src.api import describe
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.op import Op
from twinflow._src.graph.signatures import signature
from twinflow._src.variables.variable import BaseResourceVariable, Variable

PACKAGE = pathlib.Path(twinflow.__file__).parent
NOTICE = "# Computed from the op table by tools/make_stubs.py.\n"
WIDTH = 100
SPECIAL = ("__compiler_version__", "__git_version__", "__version__", "as_tensorflow")
# Classes that stand for others in stubs: public classes whose objects are all of a richer one.
_SHOWN: dict[type, type] = {EagerTensor: Tensor, Variable: BaseResourceVariable}
# What annotations of parameters admit beside the type itself: NumPy's numbers and tensors.
_WIDER = {"int": "SupportsIndex", "float": "SupportsFloat"}
_PLAIN = {
    "bool",
    "bytes",
    "complex",
    "dict",
    "float",
    "int",
    "list",
    "object",
    "set",
    "str",
    "tuple",
}
_TYPING = {"Any": "typing", "SupportsFloat": "typing", "SupportsIndex": "typing"}
_ABSTRACT = {"Callable", "Iterable", "Iterator", "Mapping", "Sequence"}


class Import(NamedTuple):
    """An import of one name from a module."""

    module: str
    name: str
    local: str


# ---- The public names ----------------------------------------------------------------------------


def namespaces() -> dict[str, ModuleType]:
    """The modules of all namespaces but ``tf.compat.v2``, by public name."""
    found: dict[str, ModuleType] = {}
    waiting = [("", twinflow)]
    while waiting:
        path, module = waiting.pop()
        found[path] = module
        for name in _names(module):
            value = getattr(module, name)
            full = f"{path}.{name}".lstrip(".")
            is_own = isinstance(value, ModuleType) and value.__name__ == f"twinflow.{full}"
            if is_own and not full.startswith(("compat.v2", "compat.v1.compat")):
                waiting.append((full, value))
    for path in sorted(found):  # those of tf.compat.v1 exist once somebody has asked for them
        module = None if path.startswith("compat") else _find(f"compat.v1.{path}")
        if (
            path
            and isinstance(module, ModuleType)
            and module.__name__.startswith("twinflow.compat")
        ):
            found[f"compat.v1.{path}"] = module
    return dict(sorted(found.items()))


def public(path: str, module: ModuleType) -> dict[str, Any]:
    """The public objects of a namespace by name, in alphabetical order.

    Args:
        path: The name of the namespace.
        module: Its module.
    """
    names = set(_names(module))
    if path.startswith("compat.v1"):  # which has the names of tf as well
        same = _find(path.removeprefix("compat.v1").lstrip("."))
        names |= {n for n in _names(same) if hasattr(module, n)} if same is not None else set()
        names -= {"compat"}
    if not path:
        names |= set(SPECIAL)
    found = {name: getattr(module, name) for name in sorted(names)}
    return {name: value for name, value in found.items() if not _is_hidden(name, value)}


def _names(module: ModuleType) -> list[str]:
    return [name for name in dir(module) if not name.startswith("_")]


def _is_hidden(name: str, value: Any) -> bool:
    """True if a name cannot stand in a stub, or is a module that is no namespace."""
    if not name.isidentifier() or keyword.iskeyword(name):
        return True
    return isinstance(value, ModuleType) and "__file__" in vars(value)


def _find(path: str) -> Any:
    """The object of a public name, None where there is none."""
    names = path.split(".") if path else []
    return functools.reduce(lambda found, name: getattr(found, name, None), names, twinflow)


# ---- The modules that define classes -------------------------------------------------------------


@functools.cache
def _definitions() -> dict[int, Import]:
    """The import of each object that a private module defines, by the object's identity."""
    found: dict[int, Import] = {}
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name.startswith("twinflow._src.") and file and file.endswith(".py"):
            for own in _defined(pathlib.Path(file).read_text("utf-8")):
                if own in vars(module):
                    found.setdefault(id(vars(module)[own]), Import(name, own, own))
    return found


def _defined(source: str) -> Iterator[str]:
    """The classes and the type aliases at the top level of a module."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("Union["):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _import_of(value: Any) -> Import | None:
    """The import that gives a class, None where no module defines it by a statement."""
    if inspect.isclass(value) and value.__module__ in ("numpy", "builtins"):
        return Import(value.__module__, value.__name__, value.__name__)
    if isinstance(value, type):
        value = _SHOWN.get(value, value)
    return _definitions().get(id(value))


# ---- One stub ------------------------------------------------------------------------------------


class Stub:
    """The stub of one namespace.

    Args:
        names: Its public names, none of which an annotation may mean by accident, and their objects.
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names
        self._imports: set[Import] = set()
        self._parts: list[str] = []

    def add_import(self, module: str, name: str, local: str) -> None:
        """Adds a public name that another module has; only ``X as X`` passes an import on.

        Args:
            module: The module.
            name: The name there.
            local: The name here.
        """
        if name == local:
            self._imports.add(Import(module, name, local))
        else:
            self._imports.add(Import(module, name, f"_{local}"))
            self._parts.append(f"{local} = _{local}\n")

    def add(self, name: str, value: Any) -> None:
        """Adds a public name that this stub defines.

        Args:
            name: The name.
            value: The object.
        """
        known = None if inspect.isfunction(value) else _import_of(value)
        if known is not None:
            self.add_import(known.module, known.name, name)
        elif inspect.isclass(value):
            self._parts.append(self._dynamic_class(name, value))
        elif inspect.isfunction(value):
            self._parts.append(self._function(name, value))
        else:
            self._parts.append(f"{name}: {self._type_of(value)}\n")

    def text(self) -> str:
        """The file: imports in the order of ruff, constants, then functions and classes."""
        constants = [part for part in self._parts if not part.startswith(("def ", "class "))]
        definitions = [part for part in self._parts if part.startswith(("def ", "class "))]
        body = "".join(constants)
        for part in definitions:  # as ruff has it: blank lines around what has lines of its own
            is_short = part.count("\n") == 1 and body.endswith(": ...\n")
            body += part if is_short or not body else f"\n{part}"
        code = re.sub(r'""".*"""', "", body)
        imports = _import_lines(
            i
            for i in self._imports
            if i.name == i.local or re.search(rf"\b{i.local or i.name}\b", code)
        )
        return "\n".join(part for part in (NOTICE, imports, body) if part)

    def _dynamic_class(self, name: str, value: type) -> str:
        """A class that is made at run time, such as that of a metric or of a message."""
        bases = (cls for cls in value.__mro__[1:] if cls.__module__.startswith("twinflow"))
        base = next(filter(None, map(self._class, bases)), None)
        any_, text = self._typing("Any"), self._plain("str")
        if base is None:
            doc = "" if hasattr(value, "DESCRIPTOR") else _docstring(value)
            return (
                f"class {name}:\n{doc}"
                f"    def __init__(self, *args: {any_}, **kwargs: {any_}) -> None: ...\n"
                f"    def __getattr__(self, name: {text}) -> {any_}: ...\n"
            )
        init = f"    def __init__(self, *args: {any_}, **kwargs: {any_}) -> None: ...\n"
        return f"class {name}({base}):\n{_docstring(value)}{init}"

    def _type_of(self, value: Any) -> str:
        if value is None:
            return "None"
        if type(value).__name__ in _PLAIN and type(value).__module__ == "builtins":
            return self._plain(type(value).__name__)
        return self._class(type(value)) or self._typing("Any")

    def _function(self, name: str, function: Callable[..., Any]) -> str:
        op = getattr(function, "op", None)
        op = op if isinstance(op, Op) else None
        parameters = list(describe.signature_of(function).parameters.values())
        annotations = {p.name: self._parameter_type(p, function, op) for p in parameters}
        parts: list[str] = []
        for p, before in zip(parameters, [None, *parameters]):
            if p.kind is p.KEYWORD_ONLY and (before is None or before.kind < p.VAR_POSITIONAL):
                parts.append("*")
            if (
                before is not None
                and before.kind is p.POSITIONAL_ONLY
                and p.kind is not before.kind
            ):
                parts.append("/")
            star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
            default = "" if p.default is p.empty else f" = {_literal(p.default)}"
            parts.append(f"{star}{p.name}: {annotations[p.name]}{default}")
        if parameters and parameters[-1].kind is inspect.Parameter.POSITIONAL_ONLY:
            parts.append("/")
        doc = _docstring(function)
        return _definition(name, parts, self._result_type(function, op), doc)

    def _parameter_type(
        self, p: inspect.Parameter, function: Callable[..., Any], op: Op | None
    ) -> str:
        annotation: Any = _annotations(function).get(p.name, p.annotation)
        if op is not None and annotation is p.empty:
            attrs = {param.name for param in op.attrs}
            annotation = op.kernel.__annotations__.get(p.name) if p.name in attrs else None
            if p.name == "name" and p.name not in op.names:
                annotation = "str | None"
        found = self._annotation(annotation, function, is_result=False)
        if p.default is None and found not in (self._typing("Any"), "None") and "None" not in found:
            return f"{found} | None"
        matching = p.default in (p.empty, None) or _fits(p.default, found.lstrip("_"))
        return found if matching else self._typing("Any")

    def _result_type(self, function: Callable[..., Any], op: Op | None) -> str:
        if op is None:
            annotation = _annotations(function).get(
                "return", inspect.signature(function).return_annotation
            )
            return self._annotation(annotation, function, is_result=True)
        known = signature(op.type)
        if known is None or not known.is_single:
            return self._typing("Any")
        return self._class(Tensor) or self._typing("Any")

    def _annotation(self, annotation: Any, function: Any, is_result: bool) -> str:
        """An annotation in the words of the stub; Any where it is not made of types that stubs know."""
        text = getattr(annotation, "__forward_arg__", annotation)
        if annotation is None or annotation is inspect.Parameter.empty or annotation is Any:
            return self._typing("Any")
        if inspect.isclass(annotation):
            text = "None" if annotation is type(None) else annotation.__name__
        if not isinstance(text, str):
            return self._typing("Any")
        names = vars(sys.modules[inspect.unwrap(function).__module__])
        found = self._expression(ast.parse(text, mode="eval").body, names, is_result)
        return found if found is not None else self._typing("Any")

    def _expression(self, node: ast.expr, names: dict[str, Any], is_result: bool) -> str | None:
        """A part of an annotation, None where stubs do not know it."""
        visit = functools.partial(self._expression, names=names, is_result=is_result)
        if isinstance(node, ast.Constant) and node.value in (None, ...):
            return "None" if node.value is None else "..."
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            sides = visit(node.left), visit(node.right)
            return None if None in sides else f"{sides[0]} | {sides[1]}"
        if isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            inner, outer = [visit(part) for part in parts], visit(node.value)
            return (
                None if None in inner or outer is None else f"{outer}[{', '.join(map(str, inner))}]"
            )
        if isinstance(node, ast.List):
            inner = [visit(part) for part in node.elts]
            return None if None in inner else f"[{', '.join(map(str, inner))}]"
        return self._name(node.id, names, is_result) if isinstance(node, ast.Name) else None

    def _name(self, name: str, names: dict[str, Any], is_result: bool) -> str | None:
        if name == "Any":
            return self._typing(name)
        if name in _PLAIN and name not in names:
            wider = None if is_result else _WIDER.get(name)
            return self._typing(wider) if wider else self._plain(name)
        if name in _ABSTRACT:
            return self._imported("collections.abc", name)
        found = names.get(name)
        return self._class(found) if isinstance(found, type) and is_result else None

    def _class(self, value: type) -> str | None:
        known = _import_of(value)
        if known is None or _import_of(self._names.get(known.name)) == known:
            return known and known.name
        return self._imported(known.module, known.name)

    def _typing(self, name: str) -> str:
        return self._imported(_TYPING[name], name)

    def _plain(self, name: str) -> str:
        return self._imported("builtins", name) if name in self._names else name

    def _imported(self, module: str, name: str) -> str:
        """A name of another module as annotations here write it."""
        local = f"_{name}" if name in self._names else name
        self._imports.add(Import(module, name, local if local != name else ""))
        return local


def _fits(default: Any, annotation: str) -> bool:
    """True if a default value is of a type, as far as the text of a stub tells."""
    types = {part.strip() for part in annotation.split("|")}
    wanted = {
        bool: {"bool"},
        int: {"SupportsIndex", "SupportsFloat"},
        float: {"SupportsFloat"},
        str: {"str"},
    }
    return not types.isdisjoint(wanted.get(type(default), types))


def _annotations(function: Any) -> dict[str, Any]:
    """The annotations of a public function, which has none that ``inspect`` sees."""
    while function is not None:
        found = getattr(function, "annotations", None)
        if isinstance(function, types.FunctionType) and isinstance(found, dict):
            return found
        function = getattr(function, "__wrapped__", None)
    return {}


def _literal(value: Any) -> str:
    """A default value: itself where all Pythons write it alike."""
    if value is None or type(value) in (bool, int):
        return repr(value)
    if type(value) is float and math.isfinite(value):
        return repr(value)
    if type(value) is str and value.isprintable():
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "..."


def _docstring(value: Any) -> str:
    """The first line of an object's documentation, indented."""
    doc = inspect.getdoc(value) or ""
    first = doc.partition("\n")[0].strip().replace("\\", "\\\\").replace('"""', "'''")
    if not first:
        return ""
    first += " " if first.endswith('"') else ""
    return f'    """{first}"""\n'


def _definition(name: str, parameters: list[str], result: str, doc: str) -> str:
    """A function as ruff lays it out: on one line, with the parameters on a second, or a line for each."""
    end = "\n" if doc else " ...\n"
    one = f"def {name}({', '.join(parameters)}) -> {result}:{end}"
    if len(one.rstrip("\n")) <= WIDTH:
        return one + doc
    second = f"    {', '.join(parameters)}"
    lines = [second] if len(second) <= WIDTH else [f"    {p}," for p in parameters]
    return f"def {name}(\n" + "".join(f"{line}\n" for line in lines) + f") -> {result}:{end}{doc}"


def _import_lines(imports: Iterable[Import]) -> str:
    """Import statements in the order of ruff: by section, by module, by kind of name."""
    sections: list[list[str]] = [[], [], []]
    imports = list(imports)
    plain: dict[str, list[str]] = {}
    aliased: list[Import] = []
    for item in imports:
        if item.local:
            aliased.append(item)
        else:
            plain.setdefault(item.module, []).append(item.name)
    for module in sorted({item.module for item in imports}, key=_natural):
        statements = [
            (_member_key(item.name, item.local), [f"{item.name} as {item.local}"])
            for item in aliased
            if item.module == module
        ]
        if module in plain:
            keys = sorted((_member_key(name, ""), name) for name in plain[module])
            statements.append((keys[0][0], [name for _, name in keys]))
        section = {"numpy": 1, "twinflow": 2}.get(module.partition(".")[0], 0)
        sections[section] += [_import_line(module, names) for _, names in sorted(statements)]
    return "\n".join("".join(lines) for lines in sections if lines)


def _import_line(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}\n"
    if len(line) <= WIDTH + 1:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")\n"


def _natural(text: str) -> tuple[Any, ...]:
    """A key that sorts numbers within names by value."""
    parts = re.split(r"(\d+)", text)
    return tuple((part.isdigit(), int(part) if part.isdigit() else part) for part in parts)


def _member_key(name: str, local: str) -> tuple[Any, ...]:
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, _natural(name.lower()), _natural(name), _natural(local)


# ---- All stubs -----------------------------------------------------------------------------------


def stubs() -> dict[str, str]:
    """Every stub by its path within the package."""
    late_names.text()  # imports all modules, so that every class is found where it is defined
    modules = namespaces()
    objects = {path: public(path, module) for path, module in modules.items()}
    homes = _homes(objects)
    done = {}
    for path, names in objects.items():
        stub = Stub(names)
        for name, value in names.items():
            full = f"{path}.{name}".lstrip(".")
            if isinstance(value, ModuleType):
                place, _, leaf = value.__name__.rpartition(".")
                stub.add_import(place, leaf, name)
                continue
            home = homes.get(id(value), full) if _is_shared(value) else full
            if home == full:
                stub.add(name, value)
            else:
                place, _, leaf = f"twinflow.{home}".rpartition(".")
                stub.add_import(place, leaf, name)
        done[_file(path, objects)] = stub.text()
    again = Stub({})
    for name in objects[""]:
        if name not in SPECIAL:
            again.add_import("twinflow", name, name)
    again.add_import("twinflow.compat.v1", "enable_v2_behavior", "enable_v2_behavior")
    done["compat/v2.pyi"] = again.text()
    return dict(sorted(done.items()))


def _homes(objects: dict[str, dict[str, Any]]) -> dict[int, str]:
    """The public name under which a function or class stands in full, by the identity of the object."""
    found: dict[int, str] = {}

    def rank(name: str) -> tuple[bool, bool, int, str]:
        return (
            name.startswith("compat."),
            name.startswith("experimental.numpy"),
            name.count("."),
            name,
        )

    for path, names in objects.items():
        for name, value in names.items():
            full = f"{path}.{name}".lstrip(".")
            if _is_shared(value):
                found[id(value)] = min(found.get(id(value), full), full, key=rank)
    return found


def _is_shared(value: Any) -> bool:
    return inspect.isfunction(value) or (inspect.isclass(value) and _import_of(value) is None)


def _file(path: str, paths: Iterable[str]) -> str:
    """The file of a namespace: a folder's where there are namespaces within it."""
    folder = path.replace(".", "/")
    if any(other.startswith(f"{path}.") for other in paths) or not path or path == "compat":
        return f"{folder}/__init__.pyi".lstrip("/")
    return f"{folder}.pyi"


def written() -> dict[str, str]:
    """The stubs that there are."""
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.pyi")}
    return {name: path.read_text("utf-8") for name, path in paths.items() if name[:5] != "_src/"}


def main() -> int:
    """Writes the stubs, or compares them."""
    wanted, there = stubs(), written()
    if "--check" in sys.argv[1:]:
        stale = sorted(n for n in {*wanted, *there} if wanted.get(n) != there.get(n))
        print(f"out of date: {', '.join(stale)}; run make docs" if stale else "up to date")
        return 1 if stale else 0
    for name in there.keys() - wanted.keys():
        (PACKAGE / name).unlink()
    for name, text in wanted.items():
        (PACKAGE / name).parent.mkdir(parents=True, exist_ok=True)
        (PACKAGE / name).write_text(text, "utf-8")
    print(f"{len(wanted)} stubs in {PACKAGE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
