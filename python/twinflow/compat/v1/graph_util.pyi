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
    """Returns the subgraph that some nodes depend on, with variables replaced by constants."""

def extract_sub_graph(graph_def: Any, dest_nodes: Any) -> Any:
    """Returns the subgraph that some nodes depend on."""

def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """True if an operation must run on the CPU, because of its dtype or because it is a variable."""

def remove_training_nodes(input_graph: Any, protected_nodes: Iterable[str] | None = None) -> Any:
    """Returns a graph without the operations that only training needs: checks and identities."""

def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> TensorShape:
    """Returns the static shape of a tensor of a graph."""
