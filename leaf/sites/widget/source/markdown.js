// Markdown → a tree of plain objects: `{kind, children | text, …}`. Pure, linear in the text, and it never fails.
// It reads what answers are written in: paragraphs, headings, lists, code, quotes, tables, rules, emphasis, links, footnotes.
// Raw HTML is text, a picture is its description, and only http, https and mailto become links.

const DEEPEST = 8;
const FENCE = /^ {0,3}(`{3,}|~{3,}(?!~))([^`\n]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*)|[ \t]*)$/;
const QUOTE = /^ {0,3}> ?/;
const NOTE = /^ {0,3}\[\^(\d{1,4})\]:[ \t]*/;
const MARK = /\[\^(\d{1,4})\]/y;
const DIVIDER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;

/** An address that may be followed, or an empty text. */
export function safeAddress(address) {
  const written = String(address ?? "").trim();
  if (!/^(https?:\/\/|mailto:)/i.test(written) || /[\u0000-\u0020\u007f\u2028\u2029]/.test(written)) return "";
  try {
    const url = new URL(written);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : "";
  } catch {
    return "";
  }
}

/** A text → its blocks. Each has `source`, by which what has not changed is known again. */
export function blocksOf(text) {
  return blocks(String(text ?? "").replace(/\r\n?/g, "\n").replace(/\0/g, "\ufffd").split("\n"), 0);
}

function blocks(lines, depth) {
  const found = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const [block, next] = blockAt(lines, at, depth);
    block.source = lines.slice(at, next).join("\n");
    found.push(block);
    at = next;
  }
  return found;
}

function blockAt(lines, at, depth) {
  const line = lines[at];
  const fence = FENCE.exec(line);
  if (fence) return codeAt(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading) return [{ kind: "heading", level: heading[1].length, children: inline(titleOf(heading[2] ?? "")) }, at + 1];
  if (RULE.test(line)) return [{ kind: "rule" }, at + 1];
  const note = NOTE.exec(line);
  if (note) {
    const [paragraph, next] = paragraphAt(lines, at, depth, note[0].length);
    return [{ ...paragraph, kind: "note", label: note[1] }, next];
  }
  if (depth < DEEPEST) {
    if (QUOTE.test(line)) return quoteAt(lines, at, depth);
    if (ITEM.test(line)) return listAt(lines, at, depth);
  }
  if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "") && lines[at + 1].includes("-")) {
    const head = cellsOf(line);
    if (head.length === cellsOf(lines[at + 1]).length) return tableAt(lines, at, head);
  }
  return paragraphAt(lines, at, depth);
}

/** The words of a heading, without the marks that may close it. */
function titleOf(written) {
  const title = written.trim();
  let end = title.length;
  while (title[end - 1] === "#") end -= 1;
  return /[ \t]/.test(title[end - 1] ?? "") ? title.slice(0, end).trimEnd() : title;
}

function codeAt(lines, at, [, marks, info]) {
  const end = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}[ \\t]*$`);
  let next = at + 1;
  while (next < lines.length && !end.test(lines[next])) next += 1;
  const text = lines.slice(at + 1, next).join("\n");
  return [{ kind: "code", language: info.trim().split(/\s/)[0].slice(0, 40), text }, Math.min(next + 1, lines.length)];
}

function quoteAt(lines, at, depth) {
  let next = at;
  const inner = [];
  while (next < lines.length && (QUOTE.test(lines[next]) || (lines[next].trim() && !begins(lines[next])))) {
    inner.push(lines[next].replace(QUOTE, ""));
    next += 1;
  }
  return [{ kind: "quote", children: blocks(inner, depth + 1) }, next];
}

function listAt(lines, at, depth) {
  const first = ITEM.exec(lines[at]);
  const ordered = /\d/.test(first[2]);
  const sign = first[2].slice(-1);
  const items = [];
  let next = at;
  let loose = false;
  while (next < lines.length) {
    const item = ITEM.exec(lines[next]);
    if (!item || item[2].slice(-1) !== sign || RULE.test(lines[next])) break;
    const [inner, after] = itemAt(lines, next, item);
    const trailing = after > next + 1 && !lines[after - 1].trim();
    items.push(blocks(inner, depth + 1));
    next = after;
    if (trailing && next < lines.length && ITEM.test(lines[next])) loose = true;
  }
  return [{ kind: "list", ordered, start: ordered ? parseInt(first[2], 10) : 1, loose, children: items }, next];
}

/** The lines of an item without what they are indented by, and where it ends. */
function itemAt(lines, at, [, before, mark, space]) {
  const indent = before.length + mark.length + (space && space.length <= 4 ? space.length : 1);
  const inner = [lines[at].slice(indent)];
  let next = at + 1;
  let blank = false;
  while (next < lines.length) {
    const line = lines[next];
    const indented = line.length - line.trimStart().length >= Math.min(indent, before.length + 2);
    if (!line.trim()) blank = true;
    else if (indented) blank = false;
    else if (blank || begins(line)) break;
    inner.push(line.trim() ? unindented(line, indent) : "");
    next += 1;
  }
  return [inner, next];
}

const unindented = (line, most) => line.slice(Math.min(most, line.length - line.trimStart().length));

/** Whether a line begins something of its own, and so ends a paragraph. */
function begins(line) {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line) || NOTE.test(line);
}

function tableAt(lines, at, head) {
  const aligns = cellsOf(lines[at + 1]).map((cell) =>
    cell.startsWith(":") && cell.endsWith(":") ? "center" : cell.endsWith(":") ? "end" : "start",
  );
  const rows = [];
  let next = at + 2;
  while (next < lines.length && lines[next].includes("|") && !begins(lines[next])) {
    const cells = cellsOf(lines[next]);
    rows.push(head.map((_, column) => inline(cells[column] ?? "")));
    next += 1;
  }
  return [{ kind: "table", aligns, head: head.map((cell) => inline(cell)), rows }, next];
}

function cellsOf(line) {
  const cells = [""];
  let code = false;
  const row = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  for (let at = 0; at < row.length; at += 1) {
    if (row[at] === "\\" && row[at + 1] === "|") {
      cells[cells.length - 1] += "|";
      at += 1;
    } else if (row[at] === "|" && !code) cells.push("");
    else {
      if (row[at] === "`") code = !code;
      cells[cells.length - 1] += row[at];
    }
  }
  return cells.map((cell) => cell.trim());
}

/** Without the first characters of its first line, which are the label of a footnote. */
function paragraphAt(lines, at, depth, skipped = 0) {
  let next = at + 1;
  while (next < lines.length && lines[next].trim() && (depth >= DEEPEST || !begins(lines[next]))) next += 1;
  const text = lines.slice(at, next).map((line, row) => (row ? line : line.slice(skipped)).trimStart()).join("\n").trimEnd();
  return [{ kind: "paragraph", children: inline(text) }, next];
}

const SPECIAL = /[\\`*_~[\]!<\n]|https?:\/\//gi;
const ESCAPED = /[!-/:-@[-`{-~]/;

/** A text within a block → its pieces. One pass with a stack of what is open; what is never closed stays as it was written. */
export function inline(text, depth = 0) {
  const pieces = [];
  const open = [];
  let at = 0;
  const push = (piece) => {
    const last = pieces[pieces.length - 1];
    if (piece.kind === "text" && last?.kind === "text" && !last.mark) last.text += piece.text;
    else pieces.push(piece);
  };
  const ticks = ticksOf(text);
  const ends = linkEndsOf(text);
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const found = SPECIAL.exec(text);
    if (!found) break;
    if (found.index > at) push({ kind: "text", text: text.slice(at, found.index) });
    at = found.index;
    const taken = pieceAt(text, at, found[0], { ticks, ends, depth });
    if (taken) {
      const last = pieces[pieces.length - 1];
      if (taken[0].kind === "break" && last?.kind === "text" && !last.mark) last.text = last.text.trimEnd();
      push(taken[0]);
      at = taken[1];
    } else if ("*_~".includes(found[0])) {
      at = emphasisAt(text, at, pieces, open);
    } else {
      push({ kind: "text", text: found[0] });
      at += found[0].length;
    }
  }
  if (at < text.length) push({ kind: "text", text: text.slice(at) });
  return joined(pieces);
}

/** Code, an escape, a line break or a link at a place of a text, and where it ends; undefined where there is none. */
function pieceAt(text, at, sign, { ticks, ends, depth }) {
  if (sign === "\\") {
    if (text[at + 1] === "\n") return [{ kind: "break" }, at + 2];
    return ESCAPED.test(text[at + 1] ?? "") ? [{ kind: "text", text: text[at + 1] }, at + 2] : undefined;
  }
  if (sign === "\n") return text.slice(Math.max(0, at - 2), at) === "  " ? [{ kind: "break" }, at + 1] : undefined;
  if (sign === "`") return codeIn(text, at, ticks);
  if (sign === "<") return angleAt(text, at);
  if (sign === "!" && text[at + 1] === "[") {
    const link = linkAt(text, at + 1, ends);
    return link && [{ kind: "image", text: link.label.slice(0, 500) }, link.end];
  }
  if (sign === "[" && depth < 2) {
    MARK.lastIndex = at;
    const mark = MARK.exec(text);
    if (mark) return [{ kind: "mark", label: mark[1] }, MARK.lastIndex];
    const link = linkAt(text, at, ends);
    if (!link) return undefined;
    const [children, address] = [inline(link.label, 2), safeAddress(link.address)];
    return [address ? { kind: "link", address, children } : { kind: "span", children }, link.end];
  }
  if (/^https?:/i.test(sign) && depth < 2) return bareAt(text, at);
  return undefined;
}

/** Where runs of backticks of each length stand, so that looking for the second of two takes no second look. */
function ticksOf(text) {
  const found = new Map();
  for (const run of text.matchAll(/`+/g)) {
    if (!found.has(run[0].length)) found.set(run[0].length, []);
    found.get(run[0].length).push(run.index);
  }
  return found;
}

function codeIn(text, at, ticks) {
  const length = /^`+/.exec(text.slice(at, at + 200))[0].length;
  const places = ticks.get(length) ?? [];
  while (places.length && places[0] <= at) places.shift();
  const whole = "`".repeat(length);
  if (!places.length) return [{ kind: "text", text: whole }, at + length];
  let code = text.slice(at + length, places[0]).replace(/\n/g, " ");
  if (code.startsWith(" ") && code.endsWith(" ") && code.trim()) code = code.slice(1, -1);
  return [{ kind: "code-span", text: code }, places[0] + length];
}

/** For every `[` the place of its `]`, by one pass. */
function linkEndsOf(text) {
  const ends = new Map();
  const open = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "[") open.push(at);
    else if (text[at] === "]" && open.length) ends.set(open.pop(), at);
  }
  return ends;
}

const TARGET = /\]\([ \t]*(?:<([^<>\n]{0,2000})>|([^\s<>()]{0,2000}(?:\([^\s<>()]{0,200}\)[^\s<>()]{0,500})?))(?:[ \t\n]+(?:"[^"]{0,300}"|'[^']{0,300}'))?[ \t]*\)/y;

function linkAt(text, at, ends) {
  const close = ends.get(at);
  if (close === undefined || text[close + 1] !== "(") return undefined;
  TARGET.lastIndex = close;
  const target = TARGET.exec(text);
  if (!target) return undefined;
  return { label: text.slice(at + 1, close), address: target[1] ?? target[2] ?? "", end: close + target[0].length };
}

/** `<https://…>` is a link, `<br>` a line break; every other tag is text. */
function angleAt(text, at) {
  const found = /^<(br[ \t]*\/?|(?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/i.exec(text.slice(at, at + 2010));
  if (!found) return undefined;
  if (/^br/i.test(found[1])) return [{ kind: "break" }, at + found[0].length];
  const address = safeAddress(found[1]);
  return address ? [{ kind: "link", address, children: [{ kind: "text", text: found[1] }] }, at + found[0].length] : undefined;
}

/** An address that stands in a text, and not in a tag: without the sign at its end that belongs to the sentence. */
function bareAt(text, at) {
  if (/[\p{L}\p{N}_"'=]/u.test(text[at - 1] ?? "")) return undefined;
  const all = /^https?:\/\/[^\s<>"`*|\\]{1,2000}/i.exec(text.slice(at, at + 2010))?.[0] ?? "";
  const count = (sign) => all.split(sign).length;
  const spare = { ")": count(")") - count("("), "]": count("]") - count("[") };
  let end = all.length;
  for (; ; end -= 1) {
    const last = all[end - 1] ?? "";
    if (spare[last] > 0) spare[last] -= 1;
    else if (!/[.,;:!?'_~]/.test(last)) break;
  }
  const written = all.slice(0, end);
  const address = safeAddress(written);
  return address ? [{ kind: "link", address, children: [{ kind: "text", text: written }] }, at + written.length] : undefined;
}

const KINDS = { "*1": "emphasis", _1: "emphasis", "*2": "strong", _2: "strong", "~2": "strike" };

/** Opens or closes emphasis at a run of `*`, `_` or `~`; gives where the text goes on. */
function emphasisAt(text, at, pieces, open) {
  const sign = text[at];
  let length = 1;
  while (text[at + length] === sign) length += 1;
  const before = text[at - 1] ?? " ";
  const after = text[at + length] ?? " ";
  const word = /[\p{L}\p{N}_]/u;
  const left = !/\s/.test(after);
  const right = !/\s/.test(before);
  const inWord = sign === "_" && word.test(before) && word.test(after);
  let rest = length;
  while (rest && right && !inWord) {
    const place = open.findLastIndex((one) => one.sign === sign && one.length <= rest);
    if (place < 0) break;
    const { index, length: marks } = open[place];
    open.length = place;
    const children = joined(pieces.splice(index).slice(1));
    pieces.push({ kind: KINDS[`${sign}${marks}`], children });
    rest -= marks;
  }
  while (rest) {
    // Of three the single one is outside, so that it is closed last.
    const marks = rest % 2 ? 1 : 2;
    const opens = left && !inWord && KINDS[`${sign}${marks}`] && open.length < 20;
    if (opens) open.push({ sign, length: marks, index: pieces.length });
    pieces.push({ kind: "text", text: sign.repeat(marks), mark: true });
    rest -= marks;
  }
  return at + length;
}

/** Neighbouring texts in one. */
function joined(pieces) {
  const found = [];
  for (const piece of pieces) {
    const last = found[found.length - 1];
    if (piece.kind === "text" && last?.kind === "text") last.text += piece.text;
    else found.push(piece.kind === "text" ? { kind: "text", text: piece.text } : piece);
  }
  return found;
}

/** What of a text that still grows is shown: its last mark may be half of one, and a link may lack its address. */
export function mended(text) {
  const cut = text.lastIndexOf("\n\n") + 1;
  const last = text.slice(cut);
  if (/^ {0,3}(`{3,}|~{3,})/m.test(last)) return text;
  const shown = last
    .replace(/!?\[([^[\]\n]{0,500})(?:\]\([^()\s]{0,2000})?$/, (_, words) => (words.startsWith("^") ? "" : words))
    .replace(/[*_~`]{1,3}$/, "");
  const bare = shown.replace(/`[^`\n]*`/g, "");
  if (bare.includes("`")) return `${text.slice(0, cut)}${shown}\``;
  const strong = (bare.match(/\*\*/g) ?? []).length % 2 ? "**" : "";
  const whole = shown.trimEnd();
  return text.slice(0, cut) + whole + (strong || shown.slice(whole.length));
}

/** A tree → what it says, for notices and titles. */
export function plain(pieces) {
  return pieces
    .map((piece) => {
      if (piece.text !== undefined) return piece.text;
      if (piece.kind === "mark") return "";
      if (piece.kind === "table") return [piece.head, ...piece.rows].map((row) => row.map(plain).join(" ")).join("\n");
      if (piece.kind === "list") return piece.children.map(plain).join("\n");
      return piece.children ? plain(piece.children) : "\n";
    })
    .join("");
}
