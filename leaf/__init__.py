"""Leaf."""

import gc
import sys

__version__ = "0.2.0"

# A start makes a million objects and no garbage. Collections with Python's intervals would take a quarter of its time.
USUAL_COLLECTION = (700, 10, 10)
"""The thresholds of garbage collection after the imports (`leaf.telemetry.responsiveness`), as in Python before 3.12.

With the thresholds of the start, a single collection of young objects would block the process for 130 ms.
"""
gc.set_threshold(100_000, 20, 20)

BACKGROUND_NICE = 10
"""The niceness of processes that read files and import chats, so that the writing of answers comes first."""

# Parsing an integer takes time quadratic in its digits. Ten megabytes of integers with 4,000 digits, which Python
# allows by default, would block the process for a quarter of a second. Leaf needs no integers longer than this limit.
sys.set_int_max_str_digits(640)
