// How answers are read as Markdown: what is drawn, what never is, and that nothing makes it slow or fail.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, inline, mended, plain, safeAddress } from "../../leaf/sites/widget/source/markdown.js";
import { randomOf } from "./random.mjs";

const text = (words) => ({ kind: "text", text: words });
const bare = (blocks) => JSON.parse(JSON.stringify(blocks, (key, value) => (key === "source" ? undefined : value)));

test("blocks are what they are written as", () => {
  const written = [
    "# Title #", "", "One", "two", "", "- a", "- b", "  1. c", "", "> said", "> again", "", "```js x", "let a = `1`;", "", "```",
    "", "***", "| a | b |", "|---|:-:|", "| 1 | `x|y` |", "| 2 |", "after",
  ];
  const blocks = bare(blocksOf(written.join("\n")));
  assert.deepEqual(blocks.map((one) => one.kind), ["heading", "paragraph", "list", "quote", "code", "rule", "table", "paragraph"]);
  const [heading, paragraph, list, quote, code, , table] = blocks;
  assert.deepEqual(heading, { kind: "heading", level: 1, children: [text("Title")] });
  assert.deepEqual(paragraph.children, [text("One\ntwo")]);
  assert.deepEqual(list.children[1], [{ kind: "paragraph", children: [text("b")] }, { kind: "list", ordered: true, start: 1, loose: false, children: [[{ kind: "paragraph", children: [text("c")] }]] }]);
  assert.deepEqual(quote.children, [{ kind: "paragraph", children: [text("said\nagain")] }]);
  assert.deepEqual([code.language, code.text], ["js", "let a = `1`;\n"]);
  assert.deepEqual(table.aligns, ["start", "center"]);
  assert.deepEqual(table.rows, [[[text("1")], [{ kind: "code-span", text: "x|y" }]], [[text("2")], []]]);
});

test("a list goes on after other items, and ends where another begins", () => {
  const blocks = bare(blocksOf("3) a\n4) b\n\n   more\n\n- c\n* d\ntext\n\nafter"));
  assert.deepEqual(blocks.map((one) => one.kind), ["list", "list", "list", "paragraph"]);
  assert.deepEqual([blocks[0].start, blocks[0].children.length, blocks[0].children[1].length], [3, 2, 2]);
  assert.deepEqual(plain(blocks[2].children[0]), "d\ntext");
});

test("emphasis opens and closes as it is written, and else stays as it is", () => {
  const strong = (...children) => ({ kind: "strong", children });
  const emphasis = (...children) => ({ kind: "emphasis", children });
  assert.deepEqual(inline("a **b** c"), [text("a "), strong(text("b")), text(" c")]);
  assert.deepEqual(inline("*a **b***"), [emphasis(text("a "), strong(text("b")))]);
  assert.deepEqual(inline("***a***"), [emphasis(strong(text("a")))]);
  assert.deepEqual(inline("snake_case_name and 2 * 3 * 4"), [text("snake_case_name and 2 * 3 * 4")]);
  assert.deepEqual(inline("~~gone~~ ~not~"), [{ kind: "strike", children: [text("gone")] }, text(" ~not~")]);
  assert.deepEqual(inline("**open"), [text("**open")]);
  assert.deepEqual(inline("\\*no\\* `*no*` `` ` ``"), [text("*no* "), { kind: "code-span", text: "*no*" }, text(" "), { kind: "code-span", text: "`" }]);
  assert.deepEqual(inline("a  \nb<br>c\\\nd"), [text("a"), { kind: "break" }, text("b"), { kind: "break" }, text("c"), { kind: "break" }, text("d")]);
});

test("links lead to the web or to a mailbox", () => {
  const link = (address, words) => ({ kind: "link", address, children: [text(words)] });
  assert.deepEqual(inline("[Leaf](https://leaf.example/a_(b)?c=1 'title')."), [link("https://leaf.example/a_(b)?c=1", "Leaf"), text(".")]);
  assert.deepEqual(inline("see https://leaf.example/x_y_z). <mailto:a@b.example>"), [text("see "), link("https://leaf.example/x_y_z", "https://leaf.example/x_y_z"), text("). "), link("mailto:a@b.example", "mailto:a@b.example")]);
  for (const address of ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "//evil.example", "/inside", "file:///etc", "blob:https://x", "java\tscript:alert(1)", "https:evil", " \u0001javascript:x", "https://"]) {
    assert.equal(safeAddress(address), "", address);
    assert.deepEqual(JSON.stringify(inline(`[x](${address})`)).includes('"link"'), false, address);
  }
  assert.equal(safeAddress("http://a b"), "");
});

test("pictures are their description and HTML is text", () => {
  assert.deepEqual(inline("![a map](https://spy.example/x.png?who=1)"), [{ kind: "image", text: "a map" }]);
  assert.deepEqual(inline("<img src=x onerror=alert(1)><script>x</script>"), [text("<img src=x onerror=alert(1)><script>x</script>")]);
  assert.deepEqual(inline('<img src="https://spy.example/x">'), [text('<img src="https://spy.example/x">')]);
  assert.deepEqual(bare(blocksOf("<div onclick=x>\n\n</div>")).map((one) => one.kind), ["paragraph", "paragraph"]);
});

test("footnotes are a mark and a text of their own", () => {
  const blocks = bare(blocksOf("30 days[^1], also `[^1]`.\n[^1]: “30 days” — [Returns](https://a.example/r)\n  on\n[^2]: b\n\nend [^a]"));
  assert.deepEqual(blocks.map((one) => one.kind), ["paragraph", "note", "note", "paragraph"]);
  assert.deepEqual(blocks[0].children, [text("30 days"), { kind: "mark", label: "1" }, text(", also "), { kind: "code-span", text: "[^1]" }, text(".")]);
  assert.deepEqual([blocks[1].label, blocks[2].label, plain(blocks)], ["1", "2", "30 days, also [^1].“30 days” — Returns\nonbend [^a]"]);
  assert.deepEqual(["x [^", "x [^1", "x [^1]"].map(mended), ["x ", "x ", "x [^1]"]);
});

test("the end of a text that grows shows no half marks", () => {
  const cases = { "a **b": "a **b**", "a **": "a ", "see [Le": "see Le", "see [Leaf](https://le": "see Leaf", "a `b": "a `b`", "```\na **b": "```\na **b", "done. ": "done. ", "x\n\n**y": "x\n\n**y**", "![ma": "ma" };
  for (const [written, shown] of Object.entries(cases)) assert.equal(mended(written), shown, written);
});

test("a text that grows keeps the blocks before its last", () => {
  const answer = "# A\n\none **two**\n\n- x\n- y\n\n```\ncode\n```\n\nend";
  const before = blocksOf(answer).map((one) => one.source);
  const longer = blocksOf(`${answer} of it\n\nmore`).map((one) => one.source);
  assert.deepEqual(longer.slice(0, before.length - 1), before.slice(0, -1));
});

const SIGNS = ["*", "**", "_", "`", "```", "~~", "[", "]", "(", ")", "](", "<", ">", "!", "\\", "|", "|-|", "#", "- ", "1. ", "> ", "\n", "\n\n", "    ", "a", "é", "😀", "https://a.b", "\0", "\r", "\ud800", ":", "&amp;"];

function words(tree) {
  return JSON.stringify(tree);
}

test("whatever is written, nothing is thrown, and no letter is lost", () => {
  for (let seed = 1; seed <= 3000; seed += 1) {
    const random = randomOf(seed);
    const written = Array.from({ length: random.below(60) }, (_, place) => random.one(SIGNS) + (random.below(5) ? "" : `w${place}`)).join("");
    const tree = blocksOf(written);
    mended(written);
    const addressed = written.replace(/\]\([^)]*\)/g, "");
    for (const word of addressed.match(/(?<![a-z0-9./:])w\d+/g) ?? [])
      if (!/```/.test(written)) assert.ok(words(tree).includes(word), `seed ${seed}: ${word} of ${JSON.stringify(written)}`);
  }
});

test("hostile texts take linear time", () => {
  const hostile = ["*a ", "**", "_a*", "[", "![", "[a](", "<", "`", "``` ", "`a``b", "> ", "- ", " ", "|a", "\\", "~", "https://", "[a](<", "1. ", "<br", "*_", "(", "x [y"];
  for (const piece of hostile) {
    const began = performance.now();
    for (const one of [piece.repeat(20_000), `${piece.repeat(20_000)}\n`, `${piece}\n`.repeat(5000)]) {
      blocksOf(one);
      mended(one);
    }
    assert.ok(performance.now() - began < 3000, `${JSON.stringify(piece)}: ${Math.round(performance.now() - began)} ms`);
  }
});

test("lines that begin as something and go on without end take linear time", () => {
  const many = (piece) => piece.repeat(20_000 / piece.length);
  const lines = [
    `# a${many(" ")}x`, `# a${many(" #")}x`, `#${many(" ")}\u2028`, `|a|\n-${many(" ")}x`, `|a|\n|-|${many(" ")}x`, `-${many(" ")}x`,
    `[a](b${many(" ")}x`, `\`\`\`${many(" ")}\``, `${many("~")}\``, `|${many("\u3000")}$`,
    `${`https://a/${")".repeat(1990)} `.repeat(10)}`, `${`https://a/${".)".repeat(990)} `.repeat(10)}`,
  ];
  const slow = [];
  for (const line of lines) {
    const began = performance.now();
    blocksOf(line);
    mended(line);
    const took = performance.now() - began;
    if (took > 200) slow.push([line.slice(0, 12), Math.round(took)]);
  }
  assert.deepEqual(slow, []);
});

test("a heading may be closed, and an address ends before the sentence's signs", () => {
  const titles = ["# a ##", "# a#", "#  a \t# ", "# ##", "#", "# ", "### a # b"].map((line) => plain(blocksOf(line)));
  assert.deepEqual(titles, ["a", "a#", "a", "##", "", "", "a # b"]);
  const linked = (text) => inline(text).find((piece) => piece.kind === "link")?.address;
  assert.equal(linked("(see https://a.example/b_(c)). And"), "https://a.example/b_(c)");
  assert.equal(linked("[https://a.example/b]), x"), "https://a.example/b");
  assert.equal(linked("https://a.example/b?!'."), "https://a.example/b");
});

test("nesting has an end", () => {
  assert.ok(JSON.stringify(blocksOf(`${"> ".repeat(5000)}deep`)).includes("deep"));
  assert.ok(JSON.stringify(blocksOf(Array.from({ length: 300 }, (_, depth) => `${"  ".repeat(depth)}- x${depth}`).join("\n"))).includes("x299"));
});
