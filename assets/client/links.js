// The hosts of links: where an address really leads, and whether a link's text looks like an address. The widget has this
// file too; `leaf/citations/hosts.py` has the same rules for public pages, and a test holds both to the same cases.

const DOT = "[.\\u00b7\\u0660\\u06f0\\u0701\\u0702\\u1390\\u1427\\u16eb\\u2022\\u2024\\u2027\\u2219\\u22c5\\u2cf9\\u2e31\\u2e33\\u3002\\u30fb\\ua4f8\\ua60e\\ua78f\\uff0e\\uff61\\u{10101}\\u{10a50}\\u{1d16d}]";
const SLASH = "[/\\u1735\\u2041\\u2044\\u2215\\u2571\\u27cb\\u29f8\\u2cc6\\u3033\\u31d3\\u{1d23a}]";
/** Endings of files that are no top-level domains: names of files are no addresses. */
const FILES = "(?:pdf|docx?|xlsx?|pptx?|od[pst]|rtf|txt|csv|tsv|html?|xml|json|eml|msg|jpe?g|png|gif|webp)(?!\\.?[\\p{L}\\p{N}_])";
const WORD = "[\\p{L}\\p{N}_]";
const LOOKS = new RegExp(
  `(?::|${SLASH})${SLASH}|@|(?<!${WORD})www${DOT}|${WORD}${DOT}(?!(?<=\\.)${FILES})\\p{L}{2}|\\p{Nd}${DOT}\\p{Nd}{1,3}${DOT}\\p{Nd}{1,3}${DOT}\\p{Nd}`,
  "iu",
);
const TURNING = /\p{Bidi_Control}/u;
/** All but blanks and line ends: signs of no width, and those that fonts draw as blanks (`leaf/parts/plain.py`). */
const UNSEEN = /(?![ \n])[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu;

/** Whether a reader could take a link's text for an address, in whatever signs it is written. */
export function looksLikeAddress(text) {
  const seen = text.replace(UNSEEN, "").normalize("NFKC");
  return TURNING.test(text) || LOOKS.test(seen.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Mn}\p{Me}]/gu, ""));
}

/** The host of an address in ASCII and with its port; the recipient of a `mailto:` address. */
export function hostOf(address) {
  try {
    const url = new URL(address);
    return url.protocol === "mailto:" ? decodeURIComponent(url.pathname) : url.host;
  } catch {
    return "";
  }
}
