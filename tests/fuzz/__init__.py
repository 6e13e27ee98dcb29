"""Random programs that run on TensorFlow and on twinflow, whose answers are compared.

``generate.program(seed)`` writes a program, the same on every machine: a list of statements that use no names but ``tf``, each with how
many units in the last place its result may be off. ``snapshot.run`` runs one and describes the result of each statement.
``programs.json`` holds programs with TensorFlow's answers; ``test_programs.py`` runs them. ``oracle.py`` runs thousands beside a TensorFlow
that is installed, shortens those that differ, and records new ones::

    make oracle-fuzz TF_PYTHON=/path/to/python SEED=1 COUNT=2000
    make oracle-fuzz TF_PYTHON=/path/to/python FUZZ="--kind tape --text"
    python -m tests.fuzz.oracle --record 300      # with TF_PYTHON set: writes programs.json anew

Kinds of programs: ``eager`` (operations, views, edge values, variables), ``tape`` (derivatives to third order), ``function``
(``tf.function`` with known, partly known and unknown shapes, control flow), ``graph`` (sessions of TensorFlow 1).
"""
