"""Tables in files, and computations over them: columns with types and places, one checked SELECT statement, and its
result with the cells that it rests on.

Pure and synchronous. Neither the texts of files nor the statements of models are trusted, so `compute` runs in a child
process only (`leaf.documents.isolation`).
"""

from leaf.documents.tables.model import Cell, Column, Refused, Source, Table, TooMuch
from leaf.documents.tables.recognition import tables_of
