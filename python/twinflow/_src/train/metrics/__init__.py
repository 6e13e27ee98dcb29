"""Metrics: functions of samples, and objects that gather their values."""
