"""The op registry and the dispatch of eager calls."""
