"""Variables: their memory, their updates, and how programs make and share them."""
