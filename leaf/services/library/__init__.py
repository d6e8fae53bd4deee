"""The index of a member's Drive: the files that the member can see, their texts, and the search in them.

`feeds` follows the Drive. `sight` stores which files a member can see, and asks Google again before each use.
`file_texts` stores the texts that were read, `search` finds passages, and `progress` counts. Importers use the modules
as namespaces.
"""
