"""The stand-in model: rules that choose tools and write an answer from what they return.

It knows no provider's protocol (`sandbox.providers`): `brain.decide` turns a `Conversation` into a `Step`, which both
know (`sandbox.conversation`).
"""
