"""Text boxes of Word documents are read once, whichever forms of them the file has. 000-22."""

import io
import zipfile

import docx
import pytest

from leaf.documents import parse

_SPACES = (
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
_CONTENT = "<w:txbxContent><w:p><w:r><w:t>The boxed deadline is 12 May.</w:t></w:r></w:p></w:txbxContent>"
_DRAWING = (
    f"<w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx>{_CONTENT}</wps:txbx></wps:wsp>"
    "</a:graphicData></a:graphic></wp:anchor></w:drawing>"
)
_CHOICE = f'<mc:Choice Requires="wps">{_DRAWING}</mc:Choice>'
_PICT = f"<w:pict><v:shape><v:textbox>{_CONTENT}</v:textbox></v:shape></w:pict>"
_FALLBACK = f"<mc:Fallback>{_PICT}</mc:Fallback>"


def _document(box: str) -> bytes:
    document = docx.Document()
    document.add_paragraph("Before the box")
    document.add_paragraph("After the box")
    written = io.BytesIO()
    document.save(written)
    made = io.BytesIO()
    with zipfile.ZipFile(written) as archive, zipfile.ZipFile(made, "w") as changed:
        for one in archive.infolist():
            data = archive.read(one)
            if one.filename == "word/document.xml":
                run = f"</w:t></w:r><w:r {_SPACES}>{box}</w:r></w:p>".encode()
                data = data.replace(b"</w:t></w:r></w:p>", run, 1)
            changed.writestr(one.filename, data)
    return made.getvalue()


@pytest.mark.parametrize(
    "box",
    [
        _DRAWING, f"<mc:AlternateContent>{_CHOICE}</mc:AlternateContent>", _PICT,
        f"<mc:AlternateContent>{_CHOICE}{_FALLBACK}</mc:AlternateContent>",
    ],
    ids=["a drawing", "a choice", "a picture", "a choice and its fallback"],
)  # fmt: skip
def test_a_text_box_is_read_once(box: str) -> None:
    """000-22."""
    text = "\n".join(one.text for one in parse(_document(box), "word").segments)
    assert text.count("The boxed deadline is 12 May.") == 1
    assert text.index("Before the box") < text.index("The boxed") < text.index("After the box")
