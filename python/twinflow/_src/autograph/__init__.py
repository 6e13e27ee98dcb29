"""AutoGraph: rewriting of Python functions to support control flow that depends on tensors."""
