"""AutoGraph: Python functions rewritten so that their control flow may depend on tensors."""
