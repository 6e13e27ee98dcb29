"""``tf.queue`` and ``tf.CriticalSection``: synchronization between threads."""
