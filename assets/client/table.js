// Tables whose columns sort at a click and that are copied as CSV: results of display tools, and tables in Markdown.
import { Children, createElement as h, isValidElement, useEffect, useId, useMemo } from "react";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { CopyButton } from "./copy.js";
import { createStore } from "./store.js";
import { say, useTexts } from "./texts.js";

const PLAIN_NUMBER = /^[+-]?\d+(?:[.,]\d+)*%?$/;

/** A text in quotes. A text that a spreadsheet would read as a formula gets an apostrophe in front (OWASP, CSV injection). */
function quoted(text) {
  const guarded = /^\s*[=+\-@]|^[\t\r\n]/.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
  return `"${guarded.replaceAll('"', '""')}"`;
}

/** A cell's value as text, for copying. */
function valueOf(cell) {
  if (typeof cell === "boolean") return cell ? say("display.yes") : say("display.no");
  if (typeof cell !== "object") return String(cell ?? "");
  const { label, url } = cell ?? {};
  return label && url && label !== url ? `${label} (${url})` : String(label ?? url ?? "");
}

/** Rows of values as CSV (RFC 4180), for spreadsheets: every value in quotes, lines ended by CR LF. */
const csvOf = (rows) => rows.map((row) => `${row.map((value) => quoted(valueOf(value))).join(",")}\r\n`).join("");

/** The sort order `{column, down}` by a table's place, so that all views of one table share it. */
const sorts = createStore({});
const setSort = (place, sort) => sorts.set({ ...sorts.get(), [place]: sort });

/** The first click sorts ascending, the second descending, the third restores the order of the answer. */
const next = (sort, column) => (sort?.column !== column ? { column, down: false } : sort.down ? null : { column, down: true });
const MARKS = { none: ChevronsUpDown, ascending: ArrowUp, descending: ArrowDown };

/** Rows in the order of a column: words by a collator, equal rows as they were, rows without a value last. */
const sorted = (rows, { column, down }, words) =>
  rows.toSorted((one, other) => {
    const [a, b] = [one.sortKeys[column], other.sortKeys[column]];
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    return (down ? -1 : 1) * (typeof a === "string" ? words.compare(a, b) : a - b);
  });

/**
 * Props: `place` (the key of its sort order; without one the order is lost when the table is removed), `frame` (the start of its class
 * names), `label`, `caption`, `columns` (`[{label, children, props}]`), `rows` (`[{key, cells, sortKeys, values}]`: elements,
 * sort keys, and what is copied), `growing` (rows may still arrive; sorting is disabled until then).
 */
function SortableTable({ place, frame, label, caption, columns, rows, growing }) {
  const t = useTexts();
  const own = useId();
  const kept = place ?? own;
  const sort = sorts.use((all) => all[kept]);
  useEffect(() => () => setSort(own), []);
  const shown = sort && !growing ? sorted(rows, sort, t.format(Intl.Collator, { numeric: true, sensitivity: "base" })) : rows;
  const csv = () => csvOf([columns.map((column) => column.label), ...shown.map((row) => row.values)]);
  const head = ({ children, props }, column) => {
    const direction = sort?.column !== column ? "none" : sort.down ? "descending" : "ascending";
    const button = { type: "button", onClick: () => setSort(kept, next(sort, column)), disabled: growing };
    const mark = h(MARKS[direction], { size: 14, "aria-hidden": true });
    return h("th", { ...props, key: column, scope: "col", "aria-sort": direction }, h("button", button, h("span", null, children), mark));
  };
  const body = shown.map(({ key, cells }) => h("tr", { key }, cells));
  const table = h("table", null, caption, h("thead", null, h("tr", null, columns.map(head))), h("tbody", null, body));
  const count = h("span", null, rows.length ? t("research.rows", { count: rows.length }) : t("display.no_rows"));
  const copy = rows.length > 0 && h(CopyButton, { text: csv, label: t("research.copy_csv"), words: "CSV" });
  return [
    h("div", { key: "table", className: frame, tabIndex: 0, role: "region", "aria-label": label }, table),
    // The footer takes its space from the start, so that nothing below moves when the table is complete.
    h("div", { key: "foot", className: `${frame.replace("-frame", "")}-foot`, "data-growing": Boolean(growing) }, count, copy),
  ];
}

const NUMBERS = new Set(["number", "currency", "percent"]);

/** The sort key of a cell, by its column's type; undefined for an empty cell. */
function sortKey(cell, type) {
  if (cell === undefined || cell === null || cell === "") return undefined;
  if (type === "date") return Date.parse(cell);
  if (type === "link") return String(cell.label ?? cell.url);
  return type === "text" ? String(cell) : Number(cell);
}

function digits({ decimals }, most) {
  return decimals === undefined ? { maximumFractionDigits: most } : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
}

function drawn(t, cell, column) {
  if (cell === undefined || cell === null) return h("span", { className: "cell-none" }, "–");
  switch (column.type) {
    case "number":
      return t.number(cell, digits(column, 10));
    case "percent":
      return t.number(cell / 100, { style: "percent", ...digits(column, 2) });
    case "currency":
      return t.number(cell, { style: "currency", currency: column.currency, ...(column.decimals === undefined ? {} : digits(column, 2)) });
    case "date":
      return t.date(cell, cell.length === 10 ? { dateStyle: "medium", timeZone: "UTC" } : { dateStyle: "medium", timeStyle: "short" });
    case "boolean":
      return cell ? t("display.yes") : t("display.no");
    case "link": {
      const words = cell.label ?? cell.url;
      if (!/^https?:\/\//i.test(String(cell.url ?? ""))) return words;
      return h("a", { href: cell.url, target: "_blank", rel: "noopener noreferrer nofollow" }, words);
    }
    default:
      return String(cell);
  }
}

/** A table of a display tool. */
export function Table({ data: { title, description, columns, rows }, place }) {
  const t = useTexts();
  const lines = useMemo(() => {
    const heads = columns.map(({ label, align, type }) => ({ label, children: label, props: { "data-align": align ?? (NUMBERS.has(type) ? "right" : "left") } }));
    const cell = (row) => (column, at) => h("td", { key: at, ...heads[at].props, "data-type": column.type }, drawn(t, row[column.key], column));
    const of = (row, key) => ({
      key,
      cells: columns.map(cell(row)),
      sortKeys: columns.map((column) => sortKey(row[column.key], column.type)),
      values: columns.map((column) => row[column.key]),
    });
    return { columns: heads, rows: rows.map(of) };
  }, [columns, rows, t]);
  const caption = h("caption", null, h("span", { className: "display-title" }, title), description && h("span", { className: "display-text" }, description));
  return h("section", { className: "display data-table" }, h(SortableTable, { ...lines, place, frame: "data-table-frame", label: title, caption }));
}

const NUMBER = /^[^\d+-]{0,4}([+-]?\d[\d.,'\u00a0\u202f ]*)[^\d]{0,12}$/;

/** "1,200.50 €" and "1.200,50 €" as numbers; NaN for other texts. A single separator before exactly three final digits is a thousands separator. */
function numberOf(text) {
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

const elements = (children) => Children.toArray(children).filter(isValidElement);

/** The text content of a React element. */
function wordsOf(node) {
  if (Array.isArray(node)) return node.map(wordsOf).join("");
  if (isValidElement(node)) return wordsOf(node.props.children);
  return node === null || node === undefined || typeof node === "boolean" ? "" : String(node);
}

/** A table that an answer has written as Markdown: `children` are the elements from the Markdown parser. */
export function MarkdownTable({ children, growing }) {
  const t = useTexts();
  const [head, body] = elements(children);
  const columns = elements(elements(head?.props.children)[0]?.props.children).map(({ props: { children, ...props } }) => ({ label: wordsOf(children), children, props }));
  const lines = elements(body?.props.children).map((line) => elements(line.props.children));
  const words = lines.map((cells) => cells.map((cell) => wordsOf(cell).trim()));
  // A column is numeric if all of its cells are numbers.
  const numeric = columns.map((_, at) => words.every((row) => !row[at] || !Number.isNaN(numberOf(row[at]))));
  const rows = lines.map((cells, key) => ({
    key,
    cells,
    sortKeys: words[key].map((text, at) => (text ? (numeric[at] ? numberOf(text) : text) : undefined)),
    values: words[key],
  }));
  return h("div", { className: "md-table-frame" }, h(SortableTable, { columns, rows, growing, frame: "md-table", label: t("files.table") }));
}
