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
    f"https://drive.google.com/embeddedfolderview?id={ID}#list",
    f"https://drive.google.com/embeddedfolderview?id={ID}&usp=sharing#grid",
    f"https://www.google.com/url?q=https%3A%2F%2Fdrive.google.com%2Fdrive%2Ffolders%2F{ID}%3Fusp%3Dsharing&sa=D&ust=1",
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
    (f"https://drive.google.com/drive?id={ID}", None),
    (f"https://drive.google.com/drive/u/1?id={ID}&usp=drive_link", None),
    (f"https://drive.google.com/drive/u/1/?id={ID}", None),
    (f"https://drive.usercontent.google.com/download?id={ID}&export=download&authuser=0", None),
    (f"https://drive.usercontent.google.com/u/0/uc?id={ID}&export=download", None),
    (f"https://www.google.com/url?q=https://docs.google.com/document/d/{ID}/edit&sa=D", "document"),
    (f"https://www.google.com/url?sa=t&url=https%3A%2F%2Fdrive.google.com%2Ffile%2Fd%2F{ID}%2Fview", "file"),
    (f"https://google.co.uk/url?q=https://drive.google.com/open?id%3D{ID}", None),
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


@pytest.mark.parametrize("address", [
    "https://drive.google.com/drive/u/0/my-drive", "https://drive.google.com/drive/my-drive", "root",
    "https://drive.google.com/drive/folders/root", "https://drive.google.com/drive/u/3/folders/root?usp=sharing",
    "https://www.google.com/url?q=https%3A%2F%2Fdrive.google.com%2Fdrive%2Fmy-drive",
])  # fmt: skip
def test_the_top_of_my_drive_has_an_address_too(address: str):
    link = links.parse(address)
    assert (link.id, link.hint) == (links.ROOT, "folder")


def test_the_resource_key_outlives_a_redirect():
    target = f"https%3A%2F%2Fdrive.google.com%2Ffile%2Fd%2F{ID}%2Fview%3Fresourcekey%3D0-AbC"
    assert links.parse(f"https://www.google.com/url?q={target}").resource_key == "0-AbC"


@pytest.mark.parametrize("address", [
    f"https://example.org/download?id={ID}", f"https://usercontent.google.com.evil.example/download?id={ID}",
    f"https://example.org/drive?id={ID}", f"https://evil.example/url?q=https://drive.google.com/open?id%3D{ID}",
    f"https://google.com.evil.example/url?q=https://drive.google.com/open?id%3D{ID}",
    f"https://www.google.com/search?q=https://drive.google.com/open?id%3D{ID}",
    f"https://www.google.com/url?q={ID}", "https://www.google.com/url?q=https%3A%2F%2Fexample.org%2F",
    "https://www.google.com/url", f"https://drive.google.com/drive/u/1/search?q=x&id={ID}",
    f"https://www.google.com/url?q=https%3A%2F%2Fwww.google.com%2Furl%3Fq%3Dhttps%253A%252F%252Fdrive.google.com%252Fopen%253Fid%253D{ID}",
])  # fmt: skip
def test_paths_that_any_site_may_have_count_on_googles_own_hosts_and_once(address: str):
    with pytest.raises(errors.Invalid):
        links.parse(address)


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
