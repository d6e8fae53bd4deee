"""Documents and pages with instructions for the agent, and what must not come of them when a model obeys."""
