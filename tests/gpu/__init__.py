"""Tests that need a real GPU (``make test-gpu``). Without one, a single test says why nothing runs."""
