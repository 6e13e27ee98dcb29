"""``tf.tpu``: the configurations of embeddings and their lookups on CPUs and GPUs."""
