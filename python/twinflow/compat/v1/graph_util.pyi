# Computed from the op table by tools/make_stubs.py.

from collections.abc import Iterable
from typing import Any

from twinflow import import_graph_def as import_graph_def
from twinflow._src.core.shapes import TensorShape

def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Any,
    variable_names_whitelist: Any = None,
    variable_names_blacklist: Any = None,
) -> Any:
    """The part of a graph that some nodes need, with the values of a session in the place of variables."""

def extract_sub_graph(graph_def: Any, dest_nodes: Any) -> Any:
    """The part of a graph that some nodes need."""

def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether an operation runs on the CPU alone: variables if asked for, strings, integers of 32 bits."""

def remove_training_nodes(input_graph: Any, protected_nodes: Iterable[str] | None = None) -> Any:
    """A graph without operations that only training needs: checks and copies."""

def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> TensorShape:
    """The shape of a tensor of a graph."""
