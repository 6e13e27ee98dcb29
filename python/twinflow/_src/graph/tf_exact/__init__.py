"""Names and forms of graphs that only files and name-dependent programs see."""
