"""Linear operators (``tf.linalg.LinearOperator*``): matrices known by their structure."""
