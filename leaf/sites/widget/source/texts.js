// The widget's own words, in the language of the page if they are there in it.
import { TEXTS } from "./texts-data.js";

const RIGHT_TO_LEFT = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ku", "ps", "sd", "ug", "ur", "yi"]);
const primary = (language) => String(language ?? "").trim().toLowerCase().split(/[-_]/)[0];

/** The first of some languages in which there are texts. */
export const languageOf = (...wanted) => wanted.map(primary).find((one) => Object.hasOwn(TEXTS, one)) ?? "en";

/** How a page is read: as it says itself, else as its language is. */
export function directionOf(page, asked) {
  if (asked === "rtl" || asked === "ltr") return asked;
  const said = page.dir || page.documentElement?.dir || page.body?.dir;
  if (said === "rtl" || said === "ltr") return said;
  return RIGHT_TO_LEFT.has(primary(page.documentElement?.lang)) ? "rtl" : "ltr";
}

/** `say(key, parameters)` of a language. */
export function sayingIn(language) {
  const texts = TEXTS[language];
  return (key, parameters = {}) => {
    const text = texts[key] ?? key;
    const form = typeof text === "string" ? text : parameters.count === 1 ? text.one : text.other;
    return form.replace(/\{(\w+)\}/g, (whole, name) => String(parameters[name] ?? whole));
  };
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** How long ago something was, or its date where that is long. */
export function ago(when, language, say, now = Date.now()) {
  const time = Date.parse(when);
  if (!Number.isFinite(time)) return "";
  const seconds = Math.max(0, (now - time) / 1000);
  if (seconds < 60) return say("widget.now");
  if (seconds >= 7 * 86_400) return new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(time);
  const [unit, size] = UNITS.find(([, size]) => seconds >= size);
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-Math.floor(seconds / size), unit);
}
