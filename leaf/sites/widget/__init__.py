"""The chat that sites put on their own pages: one script, made from `source/`, that needs nothing from the page."""

from leaf.sites.widget.script import Script, classic, module
