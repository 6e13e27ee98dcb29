"""``tf.queue`` and ``tf.CriticalSection``: what threads wait for."""
