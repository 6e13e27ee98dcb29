"""Command that lists a checkpoint: ``python -m twinflow._src.checkpoint.inspect FILE``.

``FILE`` is the prefix of the checkpoint's files, one of them, or a directory, for its latest
checkpoint. For each tensor it prints name, dtype, shape, size in bytes, minimum and maximum; all
checksums are verified.
"""

from __future__ import annotations

import argparse
import ast
import math
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from twinflow._src.checkpoint.functions import (
    CheckpointReader,
    load_checkpoint,
    new_checkpoint_reader,
)
from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import OpError

_FILES = re.compile(r"\.(index|meta|data-\d{5}-of-\d{5})$")


# ------------------------------------------------------------------ TensorFlow's output


def print_tensors_in_checkpoint_file(
    file_name: Any,
    tensor_name: str | None,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Prints the tensors of a checkpoint.

    By default, names, dtypes and shapes are printed. Where the checkpoint cannot be read, the error
    is printed.

    Args:
        file_name: The prefix of the checkpoint's files.
        tensor_name: The tensor whose value to print.
        all_tensors: Whether to print the values of all tensors.
        all_tensor_names: Whether to print names, dtypes and shapes of all tensors.
        count_exclude_pattern: A regular expression for the tensors to exclude from the parameter
            count.
    """
    try:
        reader = new_checkpoint_reader(file_name)
        if all_tensors or all_tensor_names:
            _print_tensors(reader, values=all_tensors)
        elif not tensor_name:
            print(reader.debug_string().decode("utf-8", "replace"))
        elif not reader.has_tensor(tensor_name):
            print(f"Tensor {tensor_name} not found in checkpoint")
            return
        else:
            _print_tensor(reader, tensor_name, value=True)
        _print_count(reader, count_exclude_pattern)
    except OpError as error:
        print(error)
        if _FILES.search(str(file_name)):
            print(
                f"A checkpoint is named by what its files begin with: {_FILES.sub('', str(file_name))}"
            )


def _print_tensors(reader: CheckpointReader, values: bool) -> None:
    for key in sorted(reader.get_variable_to_shape_map()):
        _print_tensor(reader, key, values)


def _print_tensor(reader: CheckpointReader, key: str, value: bool) -> None:
    shape, dtype = reader.get_variable_to_shape_map()[key], reader.get_variable_to_dtype_map()[key]
    print(f"tensor: {key} ({dtype.name}) {shape}")
    if value:
        print(reader.get_tensor(key))


def _print_count(reader: CheckpointReader, pattern: str) -> None:
    counts = {key: math.prod(dims) for key, dims in reader.get_variable_to_shape_map().items()}
    left = {key: n for key, n in counts.items() if pattern and re.search(pattern, key)}
    if pattern:
        print(
            f"# Excluding {len(left)} tensors ({sum(left.values())} params) that match {pattern} when counting."
        )
    print(f"# Total number of params: {sum(counts.values()) - sum(left.values())}")


# ------------------------------------------------------------------ table


def _range(value: Any, dtype: DType) -> tuple[str, str]:
    """Returns the minimum and maximum of a tensor as strings."""
    array = np.asarray(value)
    if not array.size or dtype.kind not in "biuqf":
        return "-", "-"
    if dtype.kind == "f":
        array = array.astype(np.float32) if dtype.size < 4 else array
        return f"{array.min():.6g}", f"{array.max():.6g}"
    array = array if array.dtype.kind in "biu" else array.astype(np.int8)  # int4 has no ordering
    return str(array.min()), str(array.max())


def rows(file_name: Any) -> list[tuple[str, str, str, str, str, str]]:
    """Returns name, dtype, shape, size in bytes, minimum and maximum of each tensor."""
    reader = load_checkpoint(_FILES.sub("", str(file_name)))
    types = reader.get_variable_to_dtype_map()
    return [
        (
            key,
            types[key].name,
            str(shape),
            str(reader.size(key)),
            *_range(reader.get_tensor(key), types[key]),
        )
        for key, shape in sorted(reader.get_variable_to_shape_map().items())
    ]


def _print_table(table: Sequence[tuple[str, ...]]) -> None:
    head = ("tensor", "dtype", "shape", "bytes", "min", "max")
    widths = [max(map(len, column)) for column in zip(head, *table)]
    for row in (head, *table):
        cells = [
            cell.ljust(width) if at < 3 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths))
        ]
        print("  ".join(cells).rstrip())
    print(f"{len(table)} tensors, {sum(int(row[3]) for row in table):,} bytes")


# ------------------------------------------------------------------ command line


def _set_print_options(pairs: Iterable[str]) -> None:
    for pair in pairs:
        name, _, value = pair.partition("=")
        try:
            option: Any = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            option = value
        np.set_printoptions(**{name: option})


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m twinflow._src.checkpoint.inspect", description="What is in a checkpoint."
    )
    parser.add_argument("file", nargs="?", help="a checkpoint, one of its files, or a directory")
    parser.add_argument("--file_name", help="the same")
    parser.add_argument("--tensor_name", help="a tensor, whose value is printed")
    parser.add_argument(
        "--all_tensors", action="store_true", help="print the values of all tensors"
    )
    parser.add_argument(
        "--all_tensor_names", action="store_true", help="print all names, types and shapes"
    )
    parser.add_argument("--count_exclude_pattern", default="", help="tensors that are not counted")
    parser.add_argument(
        "--printoptions", nargs="*", default=(), help="name=value of numpy.set_printoptions"
    )
    args = parser.parse_args(argv)
    args.file = args.file or args.file_name
    if not args.file:
        parser.error("name a checkpoint")
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status.

    Args:
        given: The arguments; ``sys.argv[1:]`` where None.
    """
    args = _arguments(argv)
    _set_print_options(args.printoptions)
    if args.tensor_name or args.all_tensors or args.all_tensor_names:
        print_tensors_in_checkpoint_file(
            args.file,
            args.tensor_name,
            args.all_tensors,
            args.all_tensor_names,
            args.count_exclude_pattern,
        )
        return 0
    try:
        _print_table(rows(args.file))
    except (OpError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
