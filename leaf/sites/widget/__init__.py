"""The chat that sites put on their own pages. It is one script, made from `source/`, without requirements on the page."""

from leaf.sites.widget.script import Script, classic, module
