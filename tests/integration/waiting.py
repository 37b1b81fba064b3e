"""Waiting for conditions. No test sleeps for a time and hopes."""

import time


def wait_until(condition, what, timeout=20, interval=0.02):
    """Returns the first true value of condition(); fails after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout} s in vain until {what}")
        time.sleep(interval)
