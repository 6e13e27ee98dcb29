"""Programs: lowering of graphs, passes and executors."""
