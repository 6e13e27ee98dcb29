"""Losses: functions of samples, and classes that reduce their values."""
