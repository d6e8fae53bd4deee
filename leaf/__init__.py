"""Leaf."""

import sys

__version__ = "0.2.0"

# Reading an integer takes time quadratic in its digits: ten megabytes of integers of 4,000 digits, the longest that
# Python reads by default, held up everybody for a quarter of a second. No use of Leaf has longer ones than this.
sys.set_int_max_str_digits(640)
