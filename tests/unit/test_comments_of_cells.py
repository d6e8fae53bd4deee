"""Comments of the cells of a workbook are read, beside the cells and not among them."""

import io
import zipfile

import openpyxl
from openpyxl.comments import Comment

from leaf.documents import parse
from leaf.documents.tables import Source, engine
from leaf.texts import of
from leaf.texts.places import place_text
from tests.unit.test_documents_workbooks import ods, saved

_THREADS = (
    '<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">'
    '<threadedComment ref="B2" id="{1}"><text>Is this net?</text></threadedComment>'
    '<threadedComment ref="B2" id="{2}" parentId="{1}"><text>Yes, net.</text></threadedComment></ThreadedComments>'
)
_RELATION = (
    '<Relationship Id="rIdT" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment" '
    'Target="../threadedComments/threadedComment1.xml"/></Relationships>'
)


def _workbook() -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Costs"
    for row in (["Item", "Amount"], ["Rent", 10], ["Power", 20]):
        sheet.append(row)
    sheet["B2"].comment = Comment("Paid twice\nin March", "ada")
    sheet["A3"].comment = Comment("Estimated", "ben")
    return book


def test_comments_are_a_part_of_their_own() -> None:
    """000-22."""
    cells, comments = parse(saved(_workbook()), "excel").segments
    assert (cells.part, cells.text) == ("sheet Costs", "Item,Amount\nRent,10\nPower,20\n")
    assert (comments.part, comments.text) == ("comments Costs", "B2: Paid twice in March\nA3: Estimated\n")
    assert place_text(comments.part, of("de")) == "Kommentare im Blatt Costs"


def test_comments_are_no_cells_of_a_computation() -> None:
    """000-21."""
    source = Source("f", "1", "x.xlsx", "excel", parse(saved(_workbook()), "excel").segments)
    assert engine.compute([source], "SELECT sum(amount) AS result FROM x")["rows"] == [[30]]


def test_a_thread_is_read_in_place_of_its_old_form() -> None:
    """000-22."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved(_workbook()))) as book, zipfile.ZipFile(changed, "w") as archive:
        for name in book.namelist():
            data = book.read(name)
            if name.endswith("sheet1.xml.rels"):
                data = data.replace(b"</Relationships>", _RELATION.encode())
            archive.writestr(name, data)
        archive.writestr("xl/threadedComments/threadedComment1.xml", _THREADS)
    comments = parse(changed.getvalue(), "excel").segments[1]
    assert comments.text == "B2: Is this net?\nB2: Yes, net.\nA3: Estimated\n"


def test_comments_of_an_opendocument_workbook_are_read() -> None:
    """000-22. The author and the day of a comment are no words of it; an error below one stays an error."""
    comment = (
        '<office:annotation office:display="true"><dc:creator xmlns:dc="d">ada</dc:creator><text:p>is <text:span>an'
        "</text:span> estimate &amp; late</text:p><text:p>Ask</text:p></office:annotation>"
    )
    amount = f'<table:table-cell office:value-type="float" office:value="10">{comment}<text:p>10</text:p>'
    wrong = (
        f'<table:table-cell table:formula="of:=1/0" office:value-type="string" office:string-value="">{comment}'
        "<text:p>#DIV/0!</text:p></table:table-cell>"
    )
    cut = '<table:table-cell office:value-type="float" office:value="5"><office:annotation/><text:p>5</text:p>'
    data = ods(
        ("Item", "Amount"), ("c", f"{cut}</table:table-cell>"), ("a", f"{amount}</table:table-cell>"), ("b", wrong)
    )
    cells, comments = parse(data, "excel").segments
    assert comments.text == "B3: is an estimate & late Ask\nB4: is an estimate & late Ask\n"
    assert cells.text == "Item,Amount\nc,5\na,10\nb,#DIV/0!\n"
