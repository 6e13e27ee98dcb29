"""Records TensorFlow's op definitions into ``_src/dispatch/opdefs.txt`` (needs TensorFlow).

    python tools/record_opdefs.py [OP ...]

Without arguments every op of the table and every op named in ``opdefs.txt`` is recorded again.
"""

from __future__ import annotations

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "python" / "twinflow" / "_src" / "dispatch" / "opdefs.txt"


def _data_type(number: int) -> str:
    from tensorflow.core.framework import types_pb2

    return types_pb2.DataType.Name(number)


def _argument(arg) -> str:
    kind = arg.type_attr or (arg.type_list_attr or _data_type(arg.type)[3:].lower())
    return f"{arg.name}:{arg.number_attr + '*' if arg.number_attr else ''}{kind}"


def _value(v) -> str:
    kind = v.WhichOneof("value")
    if kind == "type":
        return _data_type(v.type)
    if kind == "b":
        return str(v.b).lower()
    if kind == "s":
        return '"' + v.s.decode() + '"'
    if kind == "shape" and v.shape.unknown_rank:
        return "<unknown>"
    if kind == "list":
        items = [f"{x:g}" for x in v.list.f] + [str(x).lower() for x in (*v.list.i, *v.list.b)]
        items += [*map(_data_type, v.list.type), *(repr(x.decode()) for x in v.list.s)]
        return f"[{', '.join(items)}]"
    return f"{v.f:g}" if kind == "f" else str(getattr(v, kind)) if kind == "i" else "[]"


def _attribute(attr) -> str:
    text = f"attr={attr.name}:{attr.type}"
    if attr.HasField("default_value"):
        text += f",default={_value(attr.default_value)}"
    if attr.has_minimum:
        text += f",min={attr.minimum}"
    if attr.HasField("allowed_values"):
        names = [*map(_data_type, attr.allowed_values.list.type)]
        names += ['"' + s.decode() + '"' for s in attr.allowed_values.list.s]
        text += f",allowed=[{', '.join(names)}]"
    return text


def summary(definition) -> str:
    """An op definition in the form of TensorFlow's own messages."""
    inputs = ", ".join(map(_argument, definition.input_arg))
    outputs = ", ".join(map(_argument, definition.output_arg))
    parts = [f"signature={inputs} -> {outputs}", *map(_attribute, definition.attr)]
    for flag in ("is_commutative", "is_aggregate", "is_stateful", "allows_uninitialized_input"):
        if getattr(definition, flag):
            parts.append(f"{flag}=true")
    return f"Op<name={definition.name}; {'; '.join(parts)}>"


def main() -> None:
    """Writes the file."""
    from tensorflow.python.framework import op_def_registry

    sys.path.insert(0, str(ROOT / "python"))
    names = set(sys.argv[1:])
    if TARGET.exists():
        names |= {line.split("\t")[0] for line in TARGET.read_text("utf-8").splitlines()}
    try:
        from twinflow._src.dispatch.op import OPS

        names |= set(OPS)
    except ImportError as error:
        print(f"the op table is left out: {error}", file=sys.stderr)
    lines = []
    for name in sorted(names):
        definition = op_def_registry.get(name)
        if definition is not None:
            text = summary(definition).replace("\n", "\\n")
            lines.append(f"{name}\t{text}\n")
    TARGET.write_text("".join(lines), "utf-8")
    print(f"{len(lines)} op definitions written to {TARGET.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
