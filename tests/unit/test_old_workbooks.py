"""Number formats, hidden rows and formulas of workbooks of Excel 97 to 2003. 000-21."""

import base64
import struct
import zlib
from collections.abc import Mapping

import pytest

from leaf.documents import old_workbooks
from leaf.documents.model import Unreadable
from leaf.documents.parser import parse
from leaf.documents.sheet_extras import SheetExtras
from leaf.documents.tables import Source, engine, tables_of

# Written by xlwt 1.3: the columns Item, Price (euros), Share (percent), Fee (US dollars), Plain (a number), and Twice
# (a formula that nobody has calculated); three rows, of which the second is hidden.
WRITTEN = (
    "c-rk)T}V_x6#nMkyY5f^tUnuQur01y>MCmr)q`$@DG|x0L6J$Vy3nF&Y(ivEmiZV2Jr%tORs>=7(hnurTMvOz4?z%U_2yGh(1Y%F=G=R"
    "2wGCV-p}J?7Gjq=TeDibW%-s8GCVzJPLCG9eP!m)nl1^l$=mbTlDY!x9$)wDhse@wDqQ8oq4%)~p8=mI8w97q|`#lE*_qFH5fe#dq;3V"
    "1x2co_;q+L9Qh>&AwBrb4+G`T3|Q57)nVP44m9@l)vd<SbTGjF82v*IvjLTy#s3@bjQlyX@vWWSHN%{$iA!GjmliqBsWdR-fK#$%EG|F"
    "^)aWn%(l8?DiSXk5ybxJipD{0P8LA&6RvL9!AbI#GtZz8W-;ycJ#WYEImO1_Wz^<zCH$+tP1zmX*~s1h;qj1Aadh1ZPo1b~k~qNgwdVb"
    "THFCOTV^yK|6?V%k}nO=pAGP>GX2H)9GEb_38BM$U0W)uPS6QBS;?Ob3cY`Bs5u~Veh9?(FHW~E#zbk_6$W&*nn_6))S?)<9H+<Re_eM"
    "l*0Xy*Z`#mPE#oz@K~K>TO_M@$v)WoxtDpr9QF#?#Cws)`F!>bZkqGLozJiLb%#SoSu?^no_;Tu%P}K~3$g_@&V@c=v)3waQO*1!_qu`"
    "eCCrQHv{70S_86I#QLb}|ODhPcp6N|!Q%Zg_<;UjtKlYA&3{_HovUP5_X!31n9Hq26z0_WYQ3OOlT)!siNytov;X~guFaF7&Iuy4t_M~"
    "z7=V1{p&gL`MCAm6cNm7ip(j}E7bxG1l(v~C}Nj3vVq`?u4BUf$;UY<t*t)U!UHLq7E!FZT!RBI#qD;-U~LG-SiXr_kKUIjJ@qolz23>"
    "bxB>;{a&FzpP}!7y?gJ(yQb7$rT7k^-ZqnT^UY(pt_bQj##ka)roFRO+-44aS~MQHe@{PKI4VpS79LYI<nZfNoL>@K8>NuD>7Tf<+ctW"
    "RXP{S!B@)68vfdzbiC;m+9|SyYXLVkz&I7P4drDI|eBX(HGcm3{V=!nT+gbJ#514ORTbu`M*%oK|+tC58XVDzKrdczG6h`d{*7i{riqk"
    "rud0W#`%ZwzXKW65?K"
)
DATA = zlib.decompress(base64.b85decode(WRITTEN))


def read(data: bytes) -> Source:
    found = parse(data, "excel")
    return Source("file", "1", "book.xls", "excel", found.segments, found.notes)


def test_number_formats_say_the_units() -> None:
    (table,) = tables_of([read(DATA)])
    units = {one.name: one.unit for one in table.columns if one.type == "number"}
    assert units == {"price": "EUR", "share": "%", "fee": "USD", "plain": ""}
    made = engine.answer({"query": "SELECT sum(share) AS x FROM book"}, [read(DATA).body()])
    assert made["rows"] == [[60]]


def test_hidden_rows_and_formulas_without_a_result_are_named() -> None:
    source = read(DATA)
    assert "Hidden rows of the sheet “Käse” count like others: 3." in source.notes
    assert "3 formulas have no stored result, and stand here in its place." in source.notes
    assert source.segments[0].text.splitlines()[1].endswith("=…")


@pytest.mark.parametrize("at", range(0, len(DATA), 97))
def test_a_damaged_workbook_is_refused_or_read_without_marks(at: int) -> None:
    """Neither a cut nor other bytes keep the reader."""
    for data in (DATA[:at], DATA[:at] + b"\xff" * 40 + DATA[at + 40 :], DATA[:at] + bytes(40) + DATA[at + 40 :]):
        try:
            parse(data, "excel")
        except Unreadable:
            continue


def marks(data: bytes) -> Mapping[str, SheetExtras]:
    return old_workbooks.extras(data, lambda number_format: "%" if "%" in number_format else "", frozenset({9, 10}))


def test_a_table_of_sectors_that_leads_back_ends() -> None:
    sector = struct.unpack_from("<I", DATA, 0x4C)[0]
    at = 512 + 512 * sector
    looped = DATA[:at] + struct.pack("<128I", *[0] * 128) + DATA[at + 512 :]
    assert marks(looped) == {}
