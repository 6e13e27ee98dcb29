"""Schedules: rates of learning that change with the number of steps."""
