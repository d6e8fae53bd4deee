"""Charts of computed results: a checked request, and its picture as SVG for pages, links, exports and programs. Pure.

A result is stored with the request (`output["chart"]`) and never with a picture. Each reader of the result draws it
anew, so no markup comes from the database, a file or a model.
"""

from leaf.charts.drawing import Node, markup, node, picture
from leaf.charts.request import MAX_POINTS, MAX_SERIES, MAX_SLICES, Chart, Kind, Refused, Request, Series, check, of
from leaf.charts.words import amounts, heading, left_out, summary, table
