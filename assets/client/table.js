// A table whose columns sort at a click. How it is sorted belongs to the reader: it is kept here, for as long as the
// page is open, whatever is drawn anew around it, and wherever it is drawn a second time.
import { createElement as h, useMemo, useSyncExternalStore } from "react";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { CopyButton } from "./copy.js";
import { csvOf } from "./csv.js";
import { useTexts } from "./texts.js";
import { WebLink } from "./weblink.js";

/** `{key, down}` by the place of a table. */
const sorts = new Map();
const readers = new Set();

const subscribe = (reader) => {
  readers.add(reader);
  return () => readers.delete(reader);
};

const WORDS = { numeric: true, sensitivity: "base" };
const NUMBERS = new Set(["number", "currency", "percent"]);

/** What a cell counts as when its column is sorted; undefined where there is nothing. */
function worth(cell, type) {
  if (cell === undefined || cell === null || cell === "") return undefined;
  if (type === "date") return Date.parse(cell);
  if (type === "link") return String(cell.label ?? cell.url);
  return type === "text" ? String(cell) : Number(cell);
}

/** Rows in another order, of words by `words`: what is equal keeps its order, and what is missing comes last. */
export function sorted(rows, column, down, words) {
  const worths = new Map(rows.map((row) => [row, worth(row[column.key], column.type)]));
  const text = column.type === "text" || column.type === "link";
  return [...rows].sort((one, other) => {
    const a = worths.get(one);
    const b = worths.get(other);
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    const order = text ? words.compare(a, b) : a - b;
    return down ? -order : order;
  });
}

function digits(column, most) {
  const { decimals } = column;
  return decimals === undefined ? { maximumFractionDigits: most } : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
}

function Cell({ cell, column }) {
  const t = useTexts();
  if (cell === undefined || cell === null) return h("span", { className: "cell-none" }, "–");
  switch (column.type) {
    case "number":
      return t.format(Intl.NumberFormat, digits(column, 10)).format(cell);
    case "percent":
      return t.format(Intl.NumberFormat, { style: "percent", ...digits(column, 2) }).format(cell / 100);
    case "currency": {
      const places = column.decimals === undefined ? {} : digits(column, 2);
      return t.format(Intl.NumberFormat, { style: "currency", currency: column.currency, ...places }).format(cell);
    }
    case "date": {
      const day = cell.length === 10;
      const options = day ? { dateStyle: "medium", timeZone: "UTC" } : { dateStyle: "medium", timeStyle: "short" };
      return t.format(Intl.DateTimeFormat, options).format(new Date(cell));
    }
    case "boolean":
      return cell ? t("display.yes") : t("display.no");
    case "link":
      return h(WebLink, { url: cell.url }, cell.label ?? cell.url);
    default:
      return String(cell);
  }
}

function Head({ column, sort, onSort }) {
  const direction = sort?.key !== column.key ? "none" : sort.down ? "descending" : "ascending";
  const mark = { none: ChevronsUpDown, ascending: ArrowUp, descending: ArrowDown }[direction];
  return h(
    "th",
    { scope: "col", "aria-sort": direction, "data-align": alignment(column) },
    h("button", { type: "button", onClick: onSort }, column.label, h(mark, { size: 14, "aria-hidden": true })),
  );
}

const alignment = (column) => column.align ?? (NUMBERS.has(column.type) ? "right" : "left");

/** A click sorts upwards, the next one downwards, the third one gives the order of the answer back. */
const next = (sort, key) => (sort?.key !== key ? { key, down: false } : sort.down ? null : { key, down: true });

export function Table({ data, place }) {
  const t = useTexts();
  const { title, description, columns, rows } = data;
  const sort = useSyncExternalStore(subscribe, () => sorts.get(place) ?? null);
  const shown = useMemo(() => {
    const column = columns.find((one) => one.key === sort?.key);
    return column ? sorted(rows, column, sort.down, t.format(Intl.Collator, WORDS)) : rows;
  }, [columns, rows, sort, t]);
  const onSort = (key) => () => {
    const wanted = next(sort, key);
    if (wanted) sorts.set(place, wanted);
    else sorts.delete(place);
    for (const reader of readers) reader();
  };
  return h(
    "section",
    { className: "display data-table" },
    h(
      "div",
      { className: "data-table-frame", tabIndex: 0, role: "region", "aria-label": title },
      h(
        "table",
        null,
        h("caption", null, h("span", { className: "display-title" }, title), description && h("span", { className: "display-text" }, description)),
        h(
          "thead",
          null,
          h("tr", null, columns.map((column) => h(Head, { key: column.key, column, sort, onSort: onSort(column.key) }))),
        ),
        h(
          "tbody",
          null,
          shown.map((row) =>
            h(
              "tr",
              { key: rows.indexOf(row) },
              columns.map((column) =>
                h("td", { key: column.key, "data-align": alignment(column), "data-type": column.type }, h(Cell, { cell: row[column.key], column })),
              ),
            ),
          ),
        ),
      ),
    ),
    h(
      "div",
      { className: "data-table-foot" },
      h("span", null, rows.length ? t("research.rows", { count: rows.length }) : t("display.no_rows")),
      rows.length > 0 && h(CopyButton, { text: () => csvOf(columns, shown), label: t("research.copy_csv"), words: "CSV" }),
    ),
  );
}
