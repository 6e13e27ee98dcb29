"""Metrics: functions of samples, and classes that accumulate their values."""
