"""The stand-in model: rules that choose tools and write an answer from their results.

`brain.decide` turns a `Conversation` into a `Step` (`sandbox.conversation`). The protocols of providers are in
`sandbox.providers`.
"""
