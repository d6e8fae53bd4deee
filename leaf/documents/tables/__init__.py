"""Tables of files, and computations over them: typed columns with places, one checked SELECT, its result with the
cells that it rests on.

Pure and synchronous. Texts of files and statements of models are not trusted: `compute` runs in a child process only
(`leaf.documents.isolation`).
"""

from leaf.documents.tables.model import Cell, Column, Refused, Source, Table, TooMuch
from leaf.documents.tables.recognition import tables_of
