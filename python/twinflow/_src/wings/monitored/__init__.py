"""Monitored sessions of ``tf.compat.v1.train``: hooks, initialization, threads of queues."""
