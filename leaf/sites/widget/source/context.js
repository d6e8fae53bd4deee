// What the site is told of the page. Everything is cut to what the server takes, and what it would refuse is left out.

const MOST = { pageUrl: 2000, referrer: 2000, userAgent: 300, locale: 35, timezone: 64 };
const MOST_METADATA_BYTES = 4096;
const MOST_DEPTH = 5;

/** An address without the part that stays in the browser, and without a name and password. */
export function addressOf(written) {
  try {
    const url = new URL(written);
    url.hash = "";
    url.username = "";
    url.password = "";
    return url.href;
  } catch {
    return "";
  }
}

const depthOf = (value) =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

/** The page's own data if it may be sent, else undefined. */
export function metadataOf(value) {
  try {
    const text = JSON.stringify(value);
    const copy = text === undefined ? undefined : JSON.parse(text);
    if (typeof copy !== "object" || copy === null || Array.isArray(copy)) return undefined;
    if (new TextEncoder().encode(text).length > MOST_METADATA_BYTES || depthOf(copy) > MOST_DEPTH) return undefined;
    return copy;
  } catch {
    return undefined;
  }
}

/** The context of a page, as the server takes it. */
export function contextOf(page, metadata) {
  const known = {
    pageUrl: addressOf(page.location?.href),
    referrer: addressOf(page.document?.referrer),
    userAgent: page.navigator?.userAgent,
    locale: page.navigator?.language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  const found = {};
  for (const [name, most] of Object.entries(MOST)) if (known[name]) found[name] = String(known[name]).slice(0, most);
  const own = metadataOf(metadata);
  return own === undefined ? found : { ...found, customMetadata: own };
}
