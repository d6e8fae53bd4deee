"""Leaf past one machine, on loopback: PostgreSQL with a standby behind PgBouncer, Redis watched by Sentinel, nginx.

`make scale` asks many questions and prints how they went; `make scale FAULTS=regex` breaks things besides, by the fault
bench (`tests.chaos`) with faults of its own. docs/scaling.md has the picture and the results.
"""
