"""Logs, metrics and traces of Leaf's processes."""
