"""Control flow in graphs: conditionals, loops, tensor lists and opaque Python calls."""
