"""The index of a member's Drive: what the member sees, the texts of it, and the search through them.

`feeds` follows the Drive, `sight` keeps what a member sees and asks Google again, `texts` keeps what was read, `search`
finds passages, and `progress` counts. Importers use the modules as namespaces.
"""
