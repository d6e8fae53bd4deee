"""Drive addresses as people paste them. 000-18."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf import errors
from leaf.google import links

ID = "1AbC_d-EfGhIjKlMnOpQrStUvWxYz012345"

FOLDERS = [
    f"https://drive.google.com/drive/folders/{ID}",
    f"https://drive.google.com/drive/u/1/folders/{ID}?usp=sharing",
    f"https://drive.google.com/drive/u/0/folders/{ID}/",
    f"https://drive.google.com/drive/mobile/folders/{ID}",
    f"https://drive.google.com/drive/u/2/mobile/folders/{ID}?sort=13&direction=a",
    f"https://drive.google.com/folders/{ID}",
    f"https://drive.google.com/folderview?id={ID}&usp=drive_web",
    f"https://drive.google.com/a/example.org/folderview?id={ID}",
    f"https://drive.google.com/a/example.org/drive/folders/{ID}",
    f"https://drive.google.com/#folders/{ID}",
    f"https://drive.google.com/drive/#folders/{ID}",
    f"drive.google.com/drive/folders/{ID}",
    f"  <https://drive.google.com/drive/folders/{ID}>  ",
    f"https://drive.google.com/drive/folders/{ID})",
    f"https://drive.google.com/drive/folders/{ID}.",
    f"Summarize https://drive.google.com/drive/folders/{ID}, please",
    f"[the folder](https://drive.google.com/drive/folders/{ID})",
    f'"https://drive.google.com/drive/folders/{ID}"',
    f"http://127.0.0.1:4321/drive/folders/{ID}",
    f"HTTPS://DRIVE.GOOGLE.COM/drive/folders/{ID}",
]
FILES = [
    (f"https://drive.google.com/file/d/{ID}/view?usp=drive_link", "file"),
    (f"https://drive.google.com/file/d/{ID}", "file"),
    (f"https://drive.google.com/file/u/1/d/{ID}/preview", "file"),
    (f"https://docs.google.com/document/d/{ID}/edit#heading=h.abc123", "document"),
    (f"https://docs.google.com/document/u/0/d/{ID}/mobilebasic", "document"),
    (f"https://docs.google.com/a/example.org/document/d/{ID}/edit?tab=t.0", "document"),
    (f"https://docs.google.com/spreadsheets/d/{ID}/edit?gid=0#gid=0", "spreadsheet"),
    (f"https://docs.google.com/presentation/d/{ID}/edit#slide=id.p1", "presentation"),
    (f"https://docs.google.com/forms/d/{ID}/viewform", "form"),
    (f"https://drive.google.com/open?id={ID}", None),
    (f"https://drive.google.com/open?usp=drive_fs&id={ID}&authuser=0", None),
    (f"https://drive.google.com/uc?export=download&id={ID}", None),
    (ID, None),
    (f"`{ID}`", None),
]


@pytest.mark.parametrize("address", FOLDERS)
def test_every_shape_of_a_folder_address_leads_to_the_folder(address: str):
    link = links.parse(address)
    assert (link.id, link.hint) == (ID, "folder")


@pytest.mark.parametrize(("address", "hint"), FILES)
def test_every_shape_of_a_file_address_leads_to_the_file(address: str, hint: str | None):
    link = links.parse(address)
    assert (link.id, link.hint) == (ID, hint)


@pytest.mark.parametrize("name", ["resourcekey", "resourceKey"])
def test_the_resource_key_is_kept(name: str):
    link = links.parse(f"https://drive.google.com/drive/folders/{ID}?usp=sharing&{name}=0-AbC_9-x")
    assert link.resource_key == "0-AbC_9-x"


def test_a_resource_key_that_could_break_a_header_is_dropped():
    assert links.parse(f"https://drive.google.com/open?id={ID}&resourcekey=a%0d%0aX:%20y").resource_key is None


def test_the_top_of_my_drive_has_an_address_too():
    assert links.parse("https://drive.google.com/drive/u/0/my-drive").id == links.ROOT
    assert links.parse("root").id == links.ROOT


@pytest.mark.parametrize("text", [
    "", "  ", "budget", "the budget of 2024", "https://example.org/", "https://drive.google.com/", "http://[bad",
    "https://drive.google.com/drive/folders/short", "https://docs.google.com/document/d/", "file:///etc/passwd",
])  # fmt: skip
def test_anything_else_is_refused_with_a_message(text: str):
    with pytest.raises(errors.Invalid) as refused:
        links.parse(text)
    assert len(refused.value.message) > 30


def test_a_page_published_to_the_web_is_refused_by_name():
    with pytest.raises(errors.Invalid, match="published to the web"):
        links.parse("https://docs.google.com/document/d/e/2PACX-1vAbCdEfGhIjKlMnOp/pub")


@given(
    st.text() | st.builds("https://drive.google.com/{}".format, st.text()) | st.builds("http://{}".format, st.text())
)
def test_no_text_makes_it_crash(text: str):
    try:
        link = links.parse(text)
    except errors.Invalid:
        return
    assert link.id == links.ROOT or (link.id.isascii() and len(link.id) >= 10)
