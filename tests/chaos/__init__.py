"""The fault bench: real processes, conversations whose right outcome is known, and things that break in the middle.

`make chaos TRIALS=500 SEED=1`; docs/reliability.md has the results and says what each fault is.
"""
