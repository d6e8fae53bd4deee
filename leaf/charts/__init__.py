"""Charts of computed results: a checked request, and one picture of it as SVG for pages, links, exports and programs.

Pure. A result is kept with the request (`output["chart"]`), never with a picture: who shows it draws it, so no markup
comes out of the database, a file or a model.
"""

from leaf.charts.drawing import Node, markup, node, picture
from leaf.charts.request import MAX_POINTS, MAX_SERIES, MAX_SLICES, Chart, Kind, Refused, Request, Series, check, of
from leaf.charts.words import amounts, heading, left_out, summary, table
