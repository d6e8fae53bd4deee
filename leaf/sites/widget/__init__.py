"""The chat that sites put on their own pages: one script, made of `source/`, that needs nothing of the page."""

from leaf.sites.widget.script import Script, classic, module
