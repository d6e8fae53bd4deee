// Tables that an answer has written as Markdown: their columns sort at a click, and they are copied as CSV.
import { Children, cloneElement, createElement as h, isValidElement, useState } from "react";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { CopyButton } from "./copy.js";
import { csvOf } from "./csv.js";
import { useTexts } from "./texts.js";

const MARKS = { none: ChevronsUpDown, ascending: ArrowUp, descending: ArrowDown };
const NUMBER = /^[^\d+-]{0,4}([+-]?\d[\d.,'\u00a0\u202f ]*)[^\d]{0,12}$/;

const elements = (children) => Children.toArray(children).filter(isValidElement);

/** The words of what React would draw. */
function wordsOf(node) {
  if (Array.isArray(node)) return node.map(wordsOf).join("");
  if (isValidElement(node)) return wordsOf(node.props.children);
  return node === null || node === undefined || typeof node === "boolean" ? "" : String(node);
}

/** "1,200.50 €" and "1.200,50 €" as numbers; NaN for all that is none. A single sign before three digits is a thousand's. */
export function numberOf(text) {
  const found = NUMBER.exec(text.trim());
  if (!found) return Number.NaN;
  const digits = found[1].replace(/['\u00a0\u202f ]/g, "");
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  if (last < 0) return Number(digits);
  const sign = digits[last];
  const both = digits.includes(".") && digits.includes(",");
  const thousands = !both && (digits.indexOf(sign) !== last || digits.length - last === 4);
  const whole = digits.slice(0, thousands ? undefined : last).replace(/[.,]/g, "");
  return Number(thousands ? whole : `${whole}.${digits.slice(last + 1).replace(/[.,]/g, "")}`);
}

/** Rows of words by one of their columns: numbers where all are, else words; what is empty comes last. */
export function ordered(rows, column, down, words) {
  const numbers = rows.map((row) => numberOf(row[column] ?? ""));
  const numeric = rows.every((row, place) => !row[column]?.trim() || !Number.isNaN(numbers[place]));
  const compare = (a, b) => (numeric ? numbers[a] - numbers[b] : words.compare(rows[a][column], rows[b][column]));
  return rows
    .map((_, place) => place)
    .sort((a, b) => {
      const none = Number(!rows[a][column]?.trim()) - Number(!rows[b][column]?.trim());
      return none || (down ? -compare(a, b) : compare(a, b));
    });
}

function Head({ cell, direction, onSort, disabled }) {
  return cloneElement(
    cell,
    { scope: "col", "aria-sort": direction },
    h("button", { type: "button", onClick: onSort, disabled }, h("span", null, cell.props.children), h(MARKS[direction], { size: 13, "aria-hidden": true })),
  );
}

/** Props: `children` (what Markdown made of a table), `growing` (more of it may come: it is sorted once it is whole). */
export function MarkdownTable({ children, growing }) {
  const t = useTexts();
  const [sort, setSort] = useState(null);
  const [head, body] = elements(children);
  const heads = elements(elements(head?.props.children)[0]?.props.children);
  const lines = elements(body?.props.children);
  const rows = lines.map((line) => elements(line.props.children).map((cell) => wordsOf(cell).trim()));
  const order = sort && !growing ? ordered(rows, sort.column, sort.down, t.format(Intl.Collator, { numeric: true, sensitivity: "base" })) : rows.keys();
  const onSort = (column) => () => setSort(sort?.column !== column ? { column, down: false } : sort.down ? null : { column, down: true });
  const direction = (column) => (sort?.column !== column ? "none" : sort.down ? "descending" : "ascending");
  const places = [...order];
  const csv = () => csvOf(heads.map((cell, key) => ({ key, label: wordsOf(cell) })), places.map((place) => rows[place]));
  return h(
    "div",
    { className: "md-table-frame" },
    h(
      "div",
      { className: "md-table", tabIndex: 0, role: "region", "aria-label": t("files.table") },
      h(
        "table",
        null,
        h("thead", null, h("tr", null, heads.map((cell, column) => h(Head, { key: column, cell, direction: direction(column), onSort: onSort(column), disabled: growing })))),
        h("tbody", null, places.map((place) => lines[place])),
      ),
    ),
    // Its room is there from the beginning: what follows the table does not move when it is whole.
    h(
      "div",
      { className: "md-table-foot", "data-growing": Boolean(growing) },
      h("span", null, t("research.rows", { count: rows.length })),
      h(CopyButton, { text: csv, label: t("research.copy_csv"), words: "CSV" }),
    ),
  );
}
