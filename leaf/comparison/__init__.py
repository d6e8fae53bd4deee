"""Comparison of files, or of versions of one: what they state differently, each side with its passage and its place.

Pure and synchronous, without a model. Statements are lined up by their words, rows of tables by their keys; amounts and
dates are brought to one size. Texts of files are not trusted: `compare` runs in a child process only
(`leaf.documents.isolation`).
"""

from leaf.comparison.lines import compare
from leaf.comparison.model import Edition
