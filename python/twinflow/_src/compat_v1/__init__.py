"""What only ``tf.compat.v1`` has."""
