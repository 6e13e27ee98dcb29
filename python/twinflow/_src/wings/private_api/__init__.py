"""Functions and classes of ``tf.__internal__`` and ``tensorflow.python`` that libraries use."""
