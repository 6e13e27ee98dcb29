"""Extension types (``tf.experimental.ExtensionType``) and dispatch of public functions on them."""
