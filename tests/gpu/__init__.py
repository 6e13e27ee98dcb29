"""What only a real GPU can tell; ``make test-gpu`` runs it. Without a GPU one test says why nothing runs."""
