// The chats that this browser has shown, as records of one member. They never leave this browser, and go with the sign-out.

const CACHE = "leaf:seen:";
const MOST = 50;
const MOST_CHARACTERS = 5_000_000;

/** Browsers have it over https and on this machine only; then nothing is kept. */
const able = () => "caches" in window;
const addressOf = (name) => `/seen/${encodeURIComponent(name)}`;

/** The records of a member; null without any. */
const open = async (person) => (able() && (await caches.has(CACHE + person)) ? caches.open(CACHE + person) : null);

/** Keeps a record, the latest ones of a member only. */
export async function keep(person, name, record) {
  const text = JSON.stringify(record);
  if (!able() || text.length > MOST_CHARACTERS) return;
  const cache = await caches.open(CACHE + person);
  await cache.put(addressOf(name), new Response(text));
  const names = await cache.keys();
  await Promise.all(names.slice(0, Math.max(0, names.length - MOST)).map((one) => cache.delete(one)));
}

/** A record, or null. */
export const read = async (person, name) => (await (await open(person))?.match(addressOf(name)))?.json() ?? null;

/** All records of a member. */
export const all = async (person) => Promise.all(((await (await open(person))?.matchAll()) ?? []).map((one) => one.json()));

export const forget = async (person, name) => (await open(person))?.delete(addressOf(name));

/** Forgets the records of everybody but one member. */
export async function forgetOthers(person = "") {
  if (!able()) return;
  const names = (await caches.keys()).filter((name) => name.startsWith(CACHE) && name !== CACHE + person);
  await Promise.all(names.map((name) => caches.delete(name)));
}
