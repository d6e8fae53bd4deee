// The texts of the pages in the reader's language: the one that was chosen in Settings, else the browser's.
// Pages are built in English, and the browser begins with that, so that what it draws first is what it was sent.
import { useEffect } from "react";
import { createStore } from "./store.js";
import { LANGUAGES, TEXTS } from "./texts-data.js";

const BUILT = "en";
const COOKIE = "leaf_language";

function preferred() {
  const chosen = new RegExp(`(?:^|; )${COOKIE}=([\\w-]*)`).exec(globalThis.document?.cookie ?? "")?.[1];
  if (LANGUAGES.includes(chosen)) return chosen;
  const wanted = (globalThis.navigator?.languages ?? []).map((one) => one.split("-")[0].toLowerCase());
  return wanted.find((one) => LANGUAGES.includes(one)) ?? BUILT;
}

const language = createStore(globalThis.document ? preferred() : BUILT, BUILT);

const PARAMETER = /\{(\w+)\}/g;
const TURNING = /\p{Bidi_Control}/gu;
const LEFTWARDS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A value in a sentence: one with letters from right to left, or signs that turn the direction, has its own (`leaf/texts/catalogue.py`). */
export function isolated(value) {
  const bare = value.replace(TURNING, "");
  return bare !== value || LEFTWARDS.test(value) ? `\u2068${bare}\u2069` : value;
}

const formats = new Map();

/** Formats are expensive to create, and many places share one. */
function format(kind, of, options) {
  const key = JSON.stringify([kind.name, of, options]);
  if (!formats.has(key)) formats.set(key, new kind(of, options));
  return formats.get(key);
}

/** The forms of dates, which are those of the server's texts (`leaf/texts/dates.py`): a page shows both. */
const DATES = { en: "en-GB", de: "de-DE" };

/** A language tag of the browser, such as "en-US": numbers and their order differ within a language. */
const localeOf = (of) => (globalThis.navigator?.languages ?? []).find((one) => one.split("-")[0].toLowerCase() === of) ?? of;

function speaker(of) {
  const place = LANGUAGES.indexOf(of);
  const locale = localeOf(of);
  const shown = (value) => (typeof value === "number" ? t.number(value) : isolated(String(value ?? "")));
  /** A text by its key; `count` chooses among the forms of a text. Numbers are written as the language writes them. */
  const t = (key, parameters = {}) => {
    const found = TEXTS[key]?.[place] ?? key;
    const text =
      typeof found === "string" ? found : found[format(Intl.PluralRules, of).select(Number(parameters.count))] ?? found.other;
    return text.replace(PARAMETER, (whole, name) => (name in parameters ? shown(parameters[name]) : whole));
  };
  t.language = of;
  t.number = (value, options = {}) => format(Intl.NumberFormat, locale, options).format(value);
  /** A time (ISO 8601, or milliseconds) by options of Intl.DateTimeFormat; empty without a time. */
  t.date = (value, options = { dateStyle: "medium" }) =>
    value === "" || value === null || value === undefined ? "" : format(Intl.DateTimeFormat, DATES[of], options).format(new Date(value));
  /** The time since a moment; a date if it is long ago. */
  t.ago = (value) => {
    const minutes = Math.floor((Date.now() - new Date(value).getTime()) / 60000);
    if (minutes < 15) return t("common.active_now");
    const relative = format(Intl.RelativeTimeFormat, locale, {});
    if (minutes < 120) return relative.format(-minutes, "minute");
    if (minutes < 48 * 60) return relative.format(-Math.floor(minutes / 60), "hour");
    return t.date(value, { dateStyle: "long" });
  };
  t.format = (kind, options) => format(kind, locale, options);
  return t;
}

const speakers = Object.fromEntries(LANGUAGES.map((of) => [of, speaker(of)]));

/** The function that returns texts; its users are redrawn in another language. */
export const useTexts = () => language.use((of) => speakers[of]);

/** A text outside of React, such as before the first drawing. */
export const say = (key, parameters) => speakers[language.get()](key, parameters);

const words = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().split(/[^\p{L}\p{N}]+/u);

/** Whether every typed word is the prefix of a word in the name. */
export const matches = (name, typed) => words(typed).filter(Boolean).every((begun) => words(name).some((word) => word.startsWith(begun)));

/** Draws nothing; `chosen` is the choice in Settings. The script in the head hides a page in a language that is not its reader's. */
export function Language({ chosen }) {
  const t = useTexts();
  useEffect(() => language.set(preferred()), [chosen]);
  useEffect(() => {
    const { documentElement } = document;
    documentElement.lang = language.get();
    if (t.language === language.get()) delete documentElement.dataset.untranslated;
  }, [t]);
  return null;
}
