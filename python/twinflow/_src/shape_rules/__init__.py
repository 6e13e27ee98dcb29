"""Shape rules: what is known of the shapes of results, by families of ops."""
