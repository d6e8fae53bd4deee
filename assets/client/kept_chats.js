// The chats that this browser has shown, as records of one member. They never leave this browser, and go with the sign-out.

const CACHE = "leaf:seen:";
const MOST = 50;
const MOST_CHARACTERS = 5_000_000;

/** Browsers have it over https and on this machine only; then nothing is kept. */
const able = () => "caches" in window;
const open = (person) => caches.open(CACHE + person);
const addressOf = (name) => `/seen/${encodeURIComponent(name)}`;

/** Keeps a record, the latest ones of a member only. */
export async function keep(person, name, record) {
  const text = JSON.stringify(record);
  if (!able() || text.length > MOST_CHARACTERS) return;
  const cache = await open(person);
  await cache.put(addressOf(name), new Response(text));
  const names = await cache.keys();
  await Promise.all(names.slice(0, Math.max(0, names.length - MOST)).map((one) => cache.delete(one)));
}

/** A record, or null. */
export async function read(person, name) {
  if (!able() || !(await caches.has(CACHE + person))) return null;
  return (await (await open(person)).match(addressOf(name)))?.json() ?? null;
}

/** All records of a member. */
export async function all(person) {
  if (!able() || !(await caches.has(CACHE + person))) return [];
  const cache = await open(person);
  return Promise.all((await cache.keys()).map(async (one) => (await cache.match(one)).json()));
}

export async function forget(person, name) {
  if (able() && (await caches.has(CACHE + person))) await (await open(person)).delete(addressOf(name));
}

/** Forgets the records of everybody but one member. */
export async function forgetOthers(person = "") {
  if (!able()) return;
  const names = (await caches.keys()).filter((name) => name.startsWith(CACHE) && name !== CACHE + person);
  await Promise.all(names.map((name) => caches.delete(name)));
}
