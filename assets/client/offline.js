// Leaf without a network: the chats that this browser has shown open, to be read. While the server answers, what it shows is
// kept (`kept_chats.js`), and the files of the pages for `worker.js`.
import { useContext, useEffect, useRef, useState } from "react";
import { StateStoreContext } from "$/utils/context";
import { chatOf, show, useOpenChat } from "./chats.js";
import { remembered } from "./drafts.js";
import { listen } from "./events.js";
import { useOnline } from "./notices.js";
import * as seen from "./kept_chats.js";
import { createStore } from "./store.js";

const MEMBER = "member";
const SAVE_MS = 1000;
/** A connection that is lost for a moment only changes nothing. */
const AWAY_MS = 2000;
const PAGES = "leaf:pages:";
const PAGE = "/__spa-fallback.html";
const ROUTES = ["", "dashboard", "chat/:chat"];

const AGAIN_MS = 5000;
/** What only the server can do; it is dimmed without one (`assets/styles/shell.css`). */
const SERVED =
  '.sidebar .nav-item:not([data-palette], .person, .chat-link), .sidebar .menu-item:not([data-theme-choice], [data-help]), [data-command="share"], [data-new-chat]';

const away = createStore(false);
/** Whether the page has no server, so that what only the server can do is not offered. */
export const useAway = () => away.use((holds) => holds);

/** Neither a click nor a key does what only the server can do; a key of the page clicks as well (`shell.js`). */
function refuse(event) {
  if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
  if (!event.target.closest?.("[data-away]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

function setAway(element, holds) {
  element.toggleAttribute("data-away", holds);
  if (holds) element.setAttribute("aria-disabled", "true");
  else element.removeAttribute("aria-disabled");
}

/** Has what only the server can do do nothing, and say so to screen readers. Returns the function that ends this. */
function withoutServer() {
  const mark = () => document.querySelectorAll(`:is(${SERVED}):not([data-away])`).forEach((one) => setAway(one, true));
  const watch = new MutationObserver(mark);
  const end = listen(document, { click: refuse, keydown: refuse }, true);
  document.documentElement.toggleAttribute("data-offline", true);
  away.set(true);
  watch.observe(document.body, { childList: true, subtree: true });
  mark();
  return () => {
    watch.disconnect();
    end();
    document.documentElement.toggleAttribute("data-offline", false);
    away.set(false);
    document.querySelectorAll("[data-away]").forEach((one) => setAway(one, false));
  };
}

let prepared = false;

/** The version of the pages: what another version has kept may have another form. */
const build = () => window.__reactRouterManifest?.version;
const ofThisBuild = (record) => record?.build === build();

/** Keeps the pages of this build; those of the build before go once these are complete. */
function prepare() {
  const manifest = window.__reactRouterManifest;
  if (prepared || !import.meta.env.PROD || !navigator.serviceWorker || !manifest) return;
  prepared = true;
  keepPages(manifest).catch(() => {
    prepared = false;
    setTimeout(prepare, AGAIN_MS);
  });
}

async function keepPages(manifest) {
  await navigator.serviceWorker.register("/worker.js");
  const cache = await caches.open(PAGES + manifest.version);
  const keepFile = async (path) => (await cache.match(path)) ?? cache.add(path);
  const filesOf = (paths) => [...new Set(paths)].filter((path) => path.startsWith("/assets/") || path === "/icon.svg");
  const modules = [manifest.entry, ...Object.values(manifest.routes).filter((route) => ROUTES.includes(route.path))];
  const needed = modules.flatMap((one) => [one.module, ...one.imports, ...one.css]);
  for (const path of filesOf([manifest.url, "/icon.svg", ...needed])) await keepFile(path);
  const page = await fetch(PAGE, { cache: "no-cache" });
  const written = await page.clone().text();
  if (!page.ok) throw new Error(`${PAGE}: ${page.status}`);
  // The server has another build by now: its page does not fit these files.
  if (!written.includes(manifest.url)) return;
  await cache.put(PAGE, page);
  const old = (await caches.keys()).filter((name) => name.startsWith(PAGES) && name !== PAGES + manifest.version);
  await Promise.all(old.map((name) => caches.delete(name)));
  const pathsOf = (entries) => entries.map((entry) => new URL(entry.name)).filter((url) => url.origin === window.location.origin).map((url) => url.pathname);
  // Parts that the page has loaded when they were needed, and will load.
  const keepLoaded = async (list) => {
    for (const path of filesOf(pathsOf(list.getEntries()))) await keepFile(path).catch(() => {});
  };
  new PerformanceObserver(keepLoaded).observe({ type: "resource", buffered: true });
}

/**
 * Draws nothing. Props: `person`, `lost` (whether the server cannot be reached), the names of the page's states (`chat`, `live`,
 * `session`), and the `marker` behind the names of their vars.
 */
export function Offline({ person, lost, chat, live, session, marker }) {
  const store = useContext(StateStoreContext);
  const open = useOpenChat();
  const online = useOnline();
  const apart = lost || !online;
  /** Whether the page shows what was kept, because the server has never answered it. */
  const restored = useRef(false);
  const [alone, setAlone] = useState(false);
  const valueOf = (state, name) => store.getSnapshot(state)[name + marker];

  useEffect(() => {
    if (apart || !person || restored.current) return undefined;
    seen.forgetOthers(person).then(prepare).catch(() => {});
    const save = async () => {
      if (remembered() !== person || restored.current) return;
      await seen.keep(person, MEMBER, { build: build(), session: store.getSnapshot(session) });
      const id = valueOf(chat, "chat_id");
      if (valueOf(chat, "phase") === "missing") await seen.forget(person, id);
      if (!id || valueOf(chat, "phase") !== "ready" || valueOf(chat, "awaited") || valueOf(live, "running")) return;
      if (!valueOf(live, "message_id") && !valueOf(chat, "history").length) return;
      const { [`acknowledged${marker}`]: _, ...shown } = store.getSnapshot(chat);
      const { title, active, changed } = chatOf(id) ?? { title: valueOf(chat, "title"), active: Date.now(), changed: 0 };
      const row = [id, title, active, changed, 0];
      await seen.keep(person, id, { build: build(), row, chat: shown, live: store.getSnapshot(live) });
    };
    let timer;
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => save().catch(() => {}), SAVE_MS);
    };
    const stops = [chat, live, session].map((state) => store.subscribe(state, later));
    later();
    return () => {
      clearTimeout(timer);
      stops.forEach((stop) => stop());
    };
  }, [apart, person]);

  useEffect(() => {
    const member = person || remembered();
    if (!apart || !member) return undefined;
    let current = true;
    const restore = async () => {
      if (!person) {
        restored.current = true;
        setAlone(true);
        const records = (await seen.all(member)).filter(ofThisBuild);
        const known = records.find((record) => record.session);
        if (!current) return;
        if (known) store.dispatchers[session](known.session);
        show(records.map((record) => record.row).filter(Boolean));
      }
      if (!open || (valueOf(chat, "chat_id") === open && valueOf(chat, "phase") === "ready")) return;
      const found = await seen.read(member, open);
      // The address is another one by now, or the member is known since: then this is done anew.
      if (!current) return;
      const record = ofThisBuild(found) ? found : null;
      if (record) store.dispatchers[live](record.live);
      store.dispatchers[chat](record?.chat ?? { [`chat_id${marker}`]: open, [`phase${marker}`]: "unseen", [`title${marker}`]: "" });
    };
    const timer = setTimeout(() => restore().catch(() => {}), online ? AWAY_MS : 0);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [apart, online, person, open]);

  const served = online && !alone;
  useEffect(() => (served ? undefined : withoutServer()), [served]);

  // The page of today, with what the server knows; drafts are kept.
  useEffect(() => {
    if (!apart && restored.current) window.location.reload();
  }, [apart]);
  return null;
}
