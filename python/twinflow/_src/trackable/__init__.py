"""Objects that know what they hold: modules, lists, dictionaries; what checkpoints walk."""
