"""The writing of one answer in four stages: prepare, write, conclude, store. `jobs.respond` calls one after the other.

The stages share one object, `state.Run`. A worker may die in any of them: the lease, the stream and the checkpoint in
Redis let another one continue (decisions 0004 and 0007).
"""
