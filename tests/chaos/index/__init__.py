"""The fault bench of the index: a Drive is read while things break and files change, and the index must equal it.

`make chaos ONLY=index TRIALS=200 SEED=1`; docs/reliability.md has the results.
"""
