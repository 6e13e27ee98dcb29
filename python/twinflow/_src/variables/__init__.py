"""Variables: storage, updates, creation and variable scopes."""
