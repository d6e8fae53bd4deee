"""Word documents of 1997 to 2003 are read without what was deleted or hidden. 000-21."""

import base64
import contextlib
import struct
import time
import zlib

import pytest

from leaf.documents import Unreadable, extract, kind_of, parse, refusal
from tests.unit import outlook

# Written by LibreOffice 7.4: a heading, a deleted and a hidden word, a link with a footnote, and a table.
WRITTEN = zlib.decompress(base64.b85decode(
    "c-rk+U2Igx6+UzC-Q}*qW^I<=K)Gx-hB~m=#<)(3TK~ndO~4L6AypEGwb#Z5yzBa>0jUp^5EWHaqU}Sas#TndM)^}jQl6@+$x9;jp>0|"
    "fsyvlcimEhG1PDdpA>MxH+*$9{VwbxM6>+=AIy*mi&YUwd=bSk+<M;kldHIDm)_g#D@O3h2CKIBdr%nNvWeZ^<L)Xn@GMQ|3rUVNLzR)"
    "SJp@sDe0C~+90c~JNukT`{OMvCT3gA*#1*j5OrQ1YwT7rcGdnk>+Npk2RN+BJm<5UQ&fW~<H^FuS^vz=ck@h_f#)_?ye`!56D%Kmv@VE"
    "bP#IzhA&xC*!$xCVF+a4m2h@GHReKnJ)17zN%7i~;WhRs%NzHvzv2tkE)VM!H4kw<4|8`TCOIDH;@J&Mb3vC>SzCC*F2dql4FP*T}$ld"
    "LlhE=^RLpC%3exk4%jYrY1!vcJ1Z5_Vj>g0_Wo>$oF^?U4P)sZ{J!Ml^aGB4OP&rGW7C<Xrv2$P|d3ugH!18Zuqxx8l?ms)p}ePqnem%"
    "fx2y@)*9;RHtA7dTlXp&?F?BHz@422^>$m7>a^@hU?1`ce1E$00gF0Fg<I4f)gkuLNrUJ+Nh9!|hoIASVhM`Ms%deDqULH^cJ2yA&K-"
    "l@v~|a5yR8yPp0w5cqiUr6;cJ<zNZI1L#4`_K6e;|&uYN?h9TA&stqF|{6P=)M)Tl<9S${2~RHImAhxY9$`5gpZ8x2F&ao~XNaYFdjQ#"
    "JTis(P{Po9SAR9{?@SBq1{FtWmJO8qjP|wc-(Y_ekD?qCupqQw_3i`4scX)&VL-?rbm0n{A$*$n5+EV+uZ}r#pb<3}CL;$`ZOuw-"
    "(%6!`x4UtlB>Gb4=#46%r(6*9*gYRV5=zp+~IYxijLkwuT>7{fd2;CG$Q3Dpp$dayuxBKF8G#k*y7qjp6GEdQ6FIE78+2k!=ZNs}L1y<"
    "n>=gPuVIeBRi?0;&;1bK3FO)tr806unru4EFA2cR)+oWYU(?+Pd#;t=-"
    "{c>W|+zbp9sbrp+@2GOVNi4j5$I5umX3s(^{+ecS3q!!<HdzpGEnC-"
    "W_uOopi0`x_<E)yh#j&+<k-d4ag6Na(hT7V@Phl=qt<p41P`MM-tNP!#5u9_kh#P<?%>n`3WU_88b`s|8#xMRC3+}GWE$UU>ABf!0m#i"
    ")_0?|nlnDh)n3SU74}s0y77i6&ciFtDnHJDA53i&Dm(#&-i`Dbq#V$)vu6X`j(+^?E_-"
    "4AqcDxMY!Tb4{c&%BiyG0}$_O~A%3IU01L+s%mY8)E4)_mBUqe2|^vxhR`H-$1w1+|S7)=QWre-"
    "tWi_xiY@seiy@s2(Um!MAn5b?r0nC@XU$0o1C!J|?Ni4%GDZ0M%ikfzvZN^~f`rUbVU9@XCYKJzTf@wrF^OLD?bqhE-s-zL2G`+pt3@t"
    "Z$Zo;gXc(9V|^8xpb*UCyiL1IRF}VG`T?1U*Pw@y8o>0@gVu8*5wwo<pcV=8yGEhE?B~D=wzX&pm(bM$d5g)gRe(|Hfax&olU4?IQVml"
    "Qx)UeMWmk$G4B`vszN0*T(dsee{KU_A>NpG<*2@$rmC&*BBT7aPjByd%{2YDdgXL<8@xAKwjOG+683yjj%`7`RYq>=irlHDYeT9!Gf<;"
    "z2!Aj+l}K8vnJ9<6RD;-%r|7MKy;idPkZl&=e(y_DsiIH`Ji4?&ga8v`F+f!*_4sB{GjP-cRn07-"
    "5Uts?nU==CXepV5b**;{GI9EWE2bM1I5ujhp@TdV^F^hxVI`_7MM0&FS1bJuUg)-"
    "0oSA4ZFni5BVCW4EV&DE81#P0{gt2u|JU#^!qv~{?{X)Ul;fU5JM}FW-"
    "wl=HKsqd6$Ms#2BVQd*_TYf}5FJ3e2QhdZZKitKj_|=j%PF)^OS_2U&|1g6xm@SOQPW9XXx|Rn-LupVt+$%3Cad1sZnatteK@%JP#oO("
    "Xw2M~3Ej7-7gT!?>2`s3C+eaF1msaf9ubtMWRzoQbqFn%qm3cAtUTgTS_B?^v>iZck(37IUUCBYI*gF(+`CJb&p-"
    "seU*=^5{2bbaw#SjyV;<`1Ytp7%qVO*%U@LkM*bN*9o(8@Id<FO^@Cxu6&_FC`@x30<1~vm*L+;%leGV16PM=)==sNv_{#G)o{~9be4|"
    "B5LR<+&X*@ugAPi-YxwcQA(m%4R9TcO&pm5IdMVXJbo)j+4B<S^MEd>_XutZfuH4J^Z2Mt}}53XF%```oKu5k8)`aM@e9=q-"
    "H5TR7q^9K7u*!I5A^Omz+Mp~8$&B1ZhMGk0yD)UM2aurJl}`QtBDFW%>uTjVq2^s>+;x$vmE6wz0s?)9k7jTKbga4ASinL1-"
    "+GgdZZBQw-MW<x<E4SHLY&%Q;ub=l_<{$}&~HfnoLYJ28$-?VqsKl2vOcnd$6x7k7lp3Cypdb;vnSMq0fVe3?23+<?-=3Y4SUW3-"
    "3KN)w<zuU6me9DRf?>(EcV!&<qzNwxnYD*sYe+};B|NpT5=l>7ETr_;C^Y)UgskO=D#u(zjemY#R{8g|v<`^LT9_bSf&zgFV#EHdkKZf"
    "u%3*gW4W^bJ8Jg>6FKm~fUDEB`=erQ<Mf9jW(c6r`O-1hhj;eS85_x2>~wiogEs6216?(r-"
    "5(CmL~<lfTfgH7O{du#T`KMs6N=MM<4B<3NFh<{3+-cs_y?+?}#F@C<q%-)*@ZsJ_nd^8oopZ`N8JHmehJQ<d("
))  # fmt: skip


def test_a_document_is_read_without_deleted_and_hidden_words() -> None:
    assert all(word.encode("utf-16-le") in WRITTEN for word in ("GONEWORD", "HIDDENWORD"))
    parsed = parse(WRITTEN, "word")
    assert "".join(one.text for one in parsed.segments) == (
        "Größe der Kisten\nThe rent is 1,250 euros — “net”. Привет 日本.\nSee our page.\nItem|Price|\nPears|12|\nEnd.\n"
        "\tUntil May 2027.\n"
    )
    assert extract(WRITTEN, "crates.doc").kind == "word"
    assert refusal(kind_of("application/msword", "crates.doc"), "application/msword", "crates.doc") is None


def document(pieces: list[tuple[int, int, bool]], text: bytes, *, ident: int = 0xA5EC, flags: int = 0) -> bytes:
    """A document with pieces: their first bytes in the text, their numbers of characters, whether these have a byte."""
    ends = [sum(count for _, count, _ in pieces[:number]) for number in range(len(pieces) + 1)]
    places = b"".join(
        struct.pack("<HIH", 0, 2 * (512 + begin) | 1 << 30 if narrow else 512 + begin, 0) for begin, _, narrow in pieces
    )
    listed = struct.pack(f"<{len(ends)}I", *ends) + places
    table = b"\x01\x02\x00ab\x02" + struct.pack("<I", len(listed)) + listed
    header = bytearray(512)
    struct.pack_into("<H", header, 0, ident)
    struct.pack_into("<H", header, 0x0A, flags)
    struct.pack_into("<II", header, 0x1A2, 0, len(table))
    return outlook.compound({"WordDocument": bytes(header) + text, "0Table": table})


def test_pieces_are_read_in_their_order_and_charsets() -> None:
    """As Word saves quickly: the last piece was written first."""
    data = document([(14, 4, False), (0, 7, True)], b"caf\xe9s.\r" + bytes(7) + "Zwei".encode("utf-16-le"))
    assert parse(data, "word").segments[0].text == "Zweicafés.\n"


def test_a_link_in_a_link_keeps_only_its_words() -> None:
    text = b"a \x13 HYPERLINK \x13 REF x \x14old\x15 \x14our \x13PAGE\x14page\x15\x15.\x13 TOC \x15\r"
    assert parse(document([(0, len(text), True)], text), "word").segments[0].text == "a our page.\n"


@pytest.mark.parametrize(("data", "reason"), [
    (WRITTEN[:700], "damaged"), (WRITTEN[:-3000], "damaged"), (document([], b""), "no text"),
    (document([(0, 5, True)], b"words", flags=0x0100), "encrypted"),
    (document([(0, 5, True)], b"words", ident=0xA5DC), "the format .doc"),
    (document([(0, 400, True)] * 9, b"w" * 400), "damaged"),
])  # fmt: skip
def test_what_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    """Overlapping pieces, of which a small file could make a text of any length, are damage. # 001-26"""
    with pytest.raises(Unreadable, match=reason):
        parse(data, "word")


def test_a_hostile_document_takes_linear_time() -> None:
    began = time.process_time()
    for at in range(512, len(WRITTEN) - 4, 97):
        with contextlib.suppress(Unreadable):
            parse(WRITTEN[:at] + b"\xff\xff\xff\x7f" + WRITTEN[at + 4 :], "word")
    assert time.process_time() - began < 10
