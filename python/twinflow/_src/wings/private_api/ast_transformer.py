"""The base class of transformers of syntax trees, those of the package ``gast`` too."""

from __future__ import annotations

import ast
from typing import Any


class Base(ast.NodeTransformer):
    """A transformer of syntax trees with a context.

    Args:
        ctx: The context.
    """

    def __init__(self, ctx: Any) -> None:
        self.ctx = ctx

    def visit_block(self, nodes: Any, before_visit: Any = None, after_visit: Any = None) -> Any:
        """Returns the statements that a list of statements is transformed to.

        Args:
            nodes: The statements, or None.
            before_visit: A function that is called before each of them.
            after_visit: A function of the result of each that returns the result and None.
        """
        if nodes is None:
            return None
        results: list[Any] = []
        for node in nodes:
            if before_visit is not None:
                before_visit()
            result = self.visit(node)
            if after_visit is not None:
                result, _ = after_visit(result)
            results += result if isinstance(result, (list, tuple)) else [result] if result else []
        return results
