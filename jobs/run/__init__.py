"""The writing of one answer in four stages: prepare, write, conclude, store. `jobs.respond` calls one after the other.

The stages share one object, `state.Run`. If a worker dies in any of them, another worker continues with the lease, the
stream and the checkpoint in Redis (decisions 0004 and 0007). Each stage raises `streams.Replaced` if another worker
writes the run now, and `errors.RedisUnavailable` if Redis was unreachable for too long.
"""
