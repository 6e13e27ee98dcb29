"""Control flow in graphs: operations with graphs inside, lists that loops keep, effects that wait."""
