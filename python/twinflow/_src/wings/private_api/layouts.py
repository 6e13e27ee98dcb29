"""The constants of ``tf.experimental.dtensor``, which libraries read when they are imported."""

# The sharding spec of a dimension that is not split over devices.
UNSHARDED = "unsharded"
