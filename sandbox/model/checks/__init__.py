"""What providers refuse: each protocol's own rules about what may follow what, in its own words.

Written after what the real interfaces answer, so that a conversation that passes here passes there.
"""
