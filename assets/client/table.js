// Tables whose columns sort at a click and that are copied as CSV: results of display tools, and tables in Markdown.
import { Children, isValidElement, useMemo, useState } from "react";
import { createStore } from "./store.js";
import { say, useTexts } from "./texts.js";

const PLAIN_NUMBER = /^[+-]?\d+(?:[.,]\d+)*%?$/;

/** Where a spreadsheet would read a formula: at the beginning, and after what some of them separate cells by. */
const FORMULA = /(^|[;\t\r\n])(?=[ ']*[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])/g;

/** A text in quotes. An apostrophe keeps a spreadsheet from reading a formula in it (OWASP, CSV injection). */
function quoted(text) {
  const guarded = PLAIN_NUMBER.test(text) ? text : text.replace(FORMULA, "$1'");
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

/** The first click sorts ascending, the second descending, the third restores the order of the answer. */
const turned = (sort, column) => (sort?.column !== column ? { column, down: false } : sort.down ? null : { column, down: true });

/** Rows in the order of a column: words by a collator, equal rows as they were, rows without a value last. */
const sorted = (rows, { column, down }, words) =>
  rows.toSorted((one, other) => {
    const [a, b] = [one.sortKeys[column], other.sortKeys[column]];
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    return (down ? -1 : 1) * (typeof a === "string" ? words.compare(a, b) : a - b);
  });

/**
 * A table that is sorted at a click, of rows with their `sortKeys` and the `values` that are copied; `sort` is its order,
 * `{column, down}`. While it is `growing`, rows may still arrive: it is not sorted.
 */
function useSorting(columns, rows, [sort, setSort], growing) {
  const t = useTexts();
  const shown = sort && !growing ? sorted(rows, sort, t.format(Intl.Collator, { numeric: true, sensitivity: "base" })) : rows;
  return {
    columns: columns.map((one, column) => ({
      ...one,
      direction: sort?.column !== column ? "none" : sort.down ? "descending" : "ascending",
      sort: () => setSort(turned(sort, column)),
    })),
    rows: shown,
    csv: () => csvOf([columns.map((column) => column.label), ...shown.map((row) => row.values)]),
  };
}

/** The sort key of a cell, by its column's type; undefined for an empty cell. */
function sortKey(cell, type) {
  if (cell === undefined || cell === null || cell === "") return undefined;
  if (type === "date") return Date.parse(cell);
  if (type === "link") return String(cell.label ?? cell.url);
  return type === "text" ? String(cell) : Number(cell);
}

/** The orders of tables by their places: all views of one table share it. */
const sorts = createStore({});

/** A table of a display tool. */
export function useTable({ columns, rows }, place) {
  const sort = sorts.use((all) => all[place]);
  const lines = useMemo(() => {
    const rowOf = (row, key) => {
      const values = columns.map((column) => row[column.key]);
      return { key, values, sortKeys: values.map((value, at) => sortKey(value, columns[at].type)) };
    };
    return rows.map(rowOf);
  }, [columns, rows]);
  return useSorting(columns, lines, [sort, (next) => sorts.set({ ...sorts.get(), [place]: next })], false);
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
function textOf(node) {
  if (Array.isArray(node)) return node.map(textOf).join("");
  if (isValidElement(node)) return textOf(node.props.children);
  return node === null || node === undefined || typeof node === "boolean" ? "" : String(node);
}

/** A table that an answer has written as Markdown: `children` are the elements from the Markdown parser, as are its cells. */
export function useMarkdownTable(children, growing) {
  const [head, body] = elements(children);
  const columns = elements(elements(head?.props.children)[0]?.props.children).map(({ props: { children, ...props } }) => ({ label: textOf(children), children, props }));
  const lines = elements(body?.props.children).map((line) => elements(line.props.children));
  const words = lines.map((cells) => cells.map((cell) => textOf(cell).trim()));
  // A column is numeric if all of its cells are numbers.
  const numeric = columns.map((_, at) => words.every((row) => !row[at] || !Number.isNaN(numberOf(row[at]))));
  const rows = lines.map((cells, key) => ({
    key,
    cells,
    sortKeys: words[key].map((text, at) => (text ? (numeric[at] ? numberOf(text) : text) : undefined)),
    values: words[key],
  }));
  return useSorting(columns, rows, useState(null), growing);
}
