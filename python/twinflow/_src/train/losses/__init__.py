"""Losses: functions of samples, and objects that make one number of their values."""
