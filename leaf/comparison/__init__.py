"""Compares files or versions of a file. Each difference has the passage and place of every side.

Pure and synchronous, without a model. Statements are aligned by their words, and rows of tables by their keys. Amounts
and dates are converted to common units. Texts of files are not trusted, so `compare` runs only in a child process
(`leaf.documents.isolation`).
"""

from leaf.comparison.lines import compare
from leaf.comparison.model import Edition
