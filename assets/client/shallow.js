// Lists and quotes within each other, no deeper than they can be read. Each level is looked for again in each line by
// what reads Markdown: a list three hundred deep would hold the page up for seconds, and is a column of letters in the end.

const DEEPEST = 24;
/** With this many marks a line is one repeated sign. */
const REPEATED = 200;
const MAYBE = new RegExp(`^(?:[ \\t>]|[-*+][ \\t]|\\d{1,9}[.)][ \\t]){${DEEPEST + 1}}`, "m");
const MARK = /(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/y;
const FENCE = /(`{3,}|~{3,})/y;
const RULE = /^[ \t>]*([-*_])[ \t]*(?:\1[ \t]*){2,}$/;

const blank = (count) => " ".repeat(count);
const matchAt = (pattern, line, at) => {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? "";
};

/**
 * Reads one line. `levels` is what it stands in, changed in place: each `{quote, column, lead, out}`, the column of its
 * content, what is written before its sign, and before its content. Returns where its words begin (`at`, `column`), how
 * many levels hold them (`depth`), how many of these it has begun (`begun`), where the first sign that is too deep stands
 * (`cut`, or -1), and how many were begun before that (`before`).
 */
function walk(line, levels) {
  const rule = RULE.test(line);
  let [at, column, depth, begun, cut, before] = [0, 0, 0, 0, -1, 0];
  for (;;) {
    while (line[at] === " " || line[at] === "\t") {
      column += line[at] === "\t" ? 4 - (column % 4) : 1;
      at += 1;
    }
    while (depth < levels.length && !levels[depth].quote && column >= levels[depth].column) depth += 1;
    const quote = line[at] === ">";
    const sign = quote ? ">" : rule ? "" : matchAt(MARK, line, at);
    if (!sign) return { at, column, depth, begun, cut, before };
    if (quote && levels[depth]?.quote) {
      depth += 1;
    } else {
      const outer = depth > 0 ? levels[Math.min(depth, DEEPEST) - 1] : { out: "" };
      const lead = depth < DEEPEST ? outer.out : outer.lead;
      levels.length = depth;
      levels.push({ quote, column: column + sign.length + 1, lead, out: quote ? `${lead}> ` : lead + blank(sign.length + 1) });
      depth += 1;
      begun += 1;
      if (depth > DEEPEST && cut < 0) [cut, before] = [at, begun - 1];
    }
    at += sign.length;
    column += sign.length;
  }
}

/** A text with lists and quotes at most `DEEPEST` deep: deeper content moves to the deepest level; null for one repeated sign. */
export function shallow(text) {
  if (!MAYBE.test(text)) return text;
  const levels = [];
  let fence = null;
  const lines = [];
  for (const line of text.split("\n")) {
    if (fence) {
      lines.push(fence.deep ? fence.out + line.slice(Math.min(fence.column, line.length - line.trimStart().length)) : line);
      if (line.trim().startsWith(fence.sign) && !line.trim().slice(fence.sign.length).trim()) fence = null;
      continue;
    }
    if (!line.trim()) {
      lines.push(line);
      continue;
    }
    const { at, column, depth, begun, cut, before } = walk(line, levels);
    if (begun > REPEATED) return null;
    const deep = depth > DEEPEST;
    const inside = depth > 0 ? levels[depth - 1] : null;
    const sign = matchAt(FENCE, line, at);
    if (sign) fence = { sign, deep, out: inside?.out ?? "", column: inside?.column ?? 0 };
    if (!deep) lines.push(line);
    else if (before) lines.push(`${line.slice(0, cut)}\\${line.slice(cut)}`);
    else if (cut >= 0) lines.push(levels[DEEPEST].lead + alone(line.slice(cut)));
    else lines.push(inside.out + blank(inside.quote ? 0 : Math.max(0, column - inside.column)) + line.slice(at));
  }
  return lines.join("\n");
}

// Of a line that is too deep the first sign counts; the rest is text.
const alone = (rest) => rest.replace(/^(>|[-*+]|\d{1,9}[.)])([ \t]*)(?=[-*+>]|\d{1,9}[.)])/, "$1$2\\");
