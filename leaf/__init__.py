"""Leaf."""

import gc
import sys

__version__ = "0.2.0"

# A start makes a million objects, none of which is garbage, and to look for some among them is a quarter of its time.
USUAL_COLLECTION = (700, 10, 10)
"""The interval of garbage collections once everything is imported (`leaf.telemetry.responsiveness`): Python's own until
3.12. With the one of a start, a single collection among new objects keeps everybody waiting for 130 ms.
"""
gc.set_threshold(100_000, 20, 20)

BACKGROUND_NICE = 10
"""The priority of processes that read files and import chats: answers that are being written come first."""

# Reading an integer takes time quadratic in its digits: ten megabytes of integers of 4,000 digits, the longest that
# Python reads by default, held up everybody for a quarter of a second. No use of Leaf has longer ones than this.
sys.set_int_max_str_digits(640)
