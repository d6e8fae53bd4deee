// Tables as CSV (RFC 4180), for spreadsheets.
import { say } from "./texts.js";

const NUMBER = /^[+-]?\d+(?:[.,]\d+)*%?$/;

/** A text in quotes. A text that a spreadsheet would read as a formula gets an apostrophe in front (OWASP, CSV injection). */
function quoted(text) {
  const guarded = /^\s*[=+\-@]|^[\t\r\n]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return `"${guarded.replaceAll('"', '""')}"`;
}

function valueOf(cell) {
  if (cell === undefined || cell === null) return "";
  if (typeof cell === "boolean") return cell ? say("display.yes") : say("display.no");
  if (typeof cell !== "object") return String(cell);
  const { label, url } = cell;
  return label && url && label !== url ? `${label} (${url})` : String(label ?? url ?? "");
}

/** Columns `{key, label}` and rows by key as CSV: every value in quotes, lines ended by CR LF. */
export function csvOf(columns, rows) {
  const lines = [columns.map((column) => column.label), ...rows.map((row) => columns.map((column) => valueOf(row[column.key])))];
  return lines.map((line) => line.map((text) => quoted(String(text))).join(",")).join("\r\n") + "\r\n";
}
