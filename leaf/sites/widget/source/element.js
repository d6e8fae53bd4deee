// <leaf-chat>: the widget as an element of a page, in a shadow root of its own.
import { contextOf } from "./context.js";
import { Conversation } from "./conversation.js";
import { h, icon, set } from "./dom.js";
import { Identity, userOf } from "./identity.js";
import { dress } from "./look.js";
import { Memory } from "./memory.js";
import { Panel } from "./panel.js";
import { Refused, Server } from "./server.js";
import { Store, busy } from "./store.js";
import { STYLES } from "./styles-data.js";
import { directionOf, languageOf, sayingIn } from "./texts.js";

const NARROW = "(max-width: 480px)";

let sheet;
function styles() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
  }
  return sheet;
}

/** Waits; a browser that comes online again need not wait to the end. */
const pause = (ms) =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      globalThis.removeEventListener("online", done);
      resolve();
    }
    globalThis.addEventListener("online", done);
  });

const Base = globalThis.HTMLElement ?? class {};

export class LeafChat extends Base {
  static observedAttributes = ["api-key", "user-id", "user-token", "theme", "accent", "position", "preview"];

  #parts = null;
  #token = "";
  #metadata = undefined;
  #tools = {};
  #restarting = false;
  #opener = null;
  /** The agent's, where it has one. */
  #language = "";

  /** A JWT, or a function that gives one or a promise of one; it is asked again when a token has expired. */
  get userToken() {
    return this.#token || this.getAttribute("user-token") || "";
  }

  set userToken(token) {
    this.#token = token ?? "";
    this.#restart();
  }

  /** The page's own data for the site: an object of at most 4 kB as JSON. */
  get metadata() {
    return this.#metadata ?? parsed(this.getAttribute("metadata"));
  }

  set metadata(value) {
    this.#metadata = value;
  }

  /** What the agent may do in this page: functions by the names of its tools, or `{version, run}`. */
  get tools() {
    return this.#tools;
  }

  set tools(value) {
    this.#tools = value ?? {};
  }

  get isOpen() {
    return this.#parts?.dialog ? this.#parts.dialog.open : Boolean(this.#parts);
  }

  connectedCallback() {
    // What a page has set before this class was there hides the class's own.
    for (const name of ["userToken", "metadata", "tools"])
      if (Object.hasOwn(this, name)) {
        const value = this[name];
        delete this[name];
        this[name] = value;
      }
    if (!this.#parts) this.#start();
  }

  disconnectedCallback() {
    // Being moved is no reason to begin anew.
    queueMicrotask(() => {
      if (!this.isConnected) this.#end();
    });
  }

  attributeChangedCallback(name, before, now) {
    if (before === now || !this.isConnected) return;
    if (name === "api-key") this.#again();
    if (!this.#parts || name === "api-key") return;
    if (name === "preview") void this.#load(this.#parts);
    else if (name.startsWith("user-")) this.#restart();
    else this.#dress();
  }

  /** Opens the panel; `focus: false` leaves the focus where it is, as far as a window is wide enough. */
  show({ focus = true } = {}) {
    const { dialog, conversation, memory, panel, store } = this.#parts ?? {};
    if (!panel) return;
    memory.tab.set("open", true);
    if (dialog && !dialog.open) {
      this.#opener = deepActive();
      if (matchMedia(NARROW).matches) dialog.showModal();
      else dialog.show();
      this.#parts.launcher.element.classList.remove("news");
      this.#drawLauncher();
      this.dispatchEvent(new CustomEvent("leaf-open"));
    }
    if (!store.state.agent) void this.#load(this.#parts);
    if (!this.#parts.restored) {
      this.#parts.restored = true;
      void conversation.restore();
    } else if (store.state.chat && !store.state.messages.length && store.state.phase === "idle") {
      void conversation.open(store.state.chat);
    }
    panel.draw();
    if (focus) panel.focus();
    else if (this.#opener?.isConnected && !this.#parts.narrow.matches) this.#opener.focus();
  }

  hide() {
    const { dialog, memory, launcher } = this.#parts ?? {};
    if (!dialog?.open) return;
    memory.tab.set("open", null);
    dialog.close();
    this.#drawLauncher();
    const before = this.#opener?.isConnected && this.#opener !== document.body ? this.#opener : launcher.element;
    before.focus();
    this.dispatchEvent(new CustomEvent("leaf-close"));
  }

  toggle() {
    if (this.isOpen) this.hide();
    else this.show();
  }

  newChat() {
    return this.#parts?.conversation.fresh();
  }

  /** For a page whose visitor signs out: what was said until now can no longer be read from this browser. */
  async forget() {
    const parts = this.#parts;
    if (!parts) return;
    await parts.conversation.fresh();
    parts.identity.forget();
    parts.store.dispatch({ type: "listed", items: [], next: null });
  }

  #start() {
    const key = this.getAttribute("api-key") ?? "";
    if (!key && !this.hasAttribute("preview")) {
      console.warn("leaf-chat: the attribute api-key is missing");
      return;
    }
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [styles()];
    const page = document;
    const language = languageOf(this.getAttribute("language"), this.#language, page.documentElement.lang, ...(navigator.languages ?? []));
    const say = sayingIn(language);
    const memory = new Memory(key);
    const identity = new Identity(memory, { user: this.getAttribute("user-id") ?? "", token: this.userToken });
    const renew = async (refused) => {
      if (await identity.renew(refused)) return true;
      this.dispatchEvent(new CustomEvent("leaf-token-needed"));
      // A page that has one at hand has set it in the meantime.
      await null;
      return identity.isNewer(refused);
    };
    const server = new Server({ address: this.getAttribute("server") || HOME, key, identity: () => identity.headers(), language, renew });
    const store = new Store();
    const context = () => contextOf(globalThis, this.metadata);
    const conversation = new Conversation({ store, server, identity, memory, context, pause, tools: () => this.#tools });
    const inline = this.getAttribute("mode") === "inline" || this.hasAttribute("preview");
    const root = h("div", { class: inline ? "root inline" : "root", lang: language, dir: directionOf(page, this.getAttribute("dir")) });
    this.#parts = { shadow, root, say, language, memory, identity, store, conversation, inline, restored: false };
    this.#parts.panel = this.#panelOf(this.#parts);
    this.#build(this.#parts);
    shadow.replaceChildren(root);
    this.#parts.unwatch = store.watch((state) => this.#changed(state));
    this.#parts.narrow = matchMedia(NARROW);
    this.#parts.narrow.addEventListener("change", this.#reopen);
    void this.#begin(this.#parts);
  }

  #panelOf({ say, language, conversation, store, memory, inline }) {
    const actions = {
      send: (text) => conversation.send(text),
      suggest: (text) => conversation.send(text),
      attach: (file) => conversation.attach(file),
      detach: (id) => conversation.detach(id),
      stop: () => conversation.stop(),
      retry: (id) => conversation.again(id),
      like: (id, feedback) => conversation.like(id, feedback),
      open: async (id) => {
        await conversation.open(id);
        this.#parts?.panel.draw();
        this.#parts?.panel.focus();
      },
      remove: (id) => conversation.remove(id),
      archive: (id, archived) => conversation.archive(id, archived),
      shelf: (archived) => conversation.list({ archived }),
      more: () => conversation.list({ more: true, archived: store.state.chats.archived }),
      fresh: () => conversation.fresh(),
      close: () => this.hide(),
      view: (view) => {
        store.dispatch({ type: "view", view });
        if (view === "list") void conversation.list();
      },
    };
    const draft = { get: () => memory.tab.get("draft"), set: (text) => memory.tab.set("draft", text) };
    return new Panel({ say, language, actions, draft, closable: !inline });
  }

  #build(parts) {
    const { root, panel, say, inline } = parts;
    if (inline) {
      root.append(h("section", { class: "panel", "aria-labelledby": "title" }, panel.element));
      if (!this.hasAttribute("preview")) return;
    } else {
      parts.dialog = h("dialog", { class: "panel", "aria-labelledby": "title", onCancel: (event) => (event.preventDefault(), this.hide()), onKeydown: (event) => this.#escape(event) }, panel.element);
      root.append(parts.dialog);
    }
    const label = h("span", { class: "label" });
    const element = h("button", { type: "button", class: "launcher", "aria-label": say("widget.open"), "aria-haspopup": "dialog", "aria-expanded": "false", hidden: !inline, onClick: () => this.toggle() }, icon("chat"), label);
    parts.launcher = { element, label };
    root.append(element);
  }

  #escape(event) {
    if (event.key !== "Escape" || event.isComposing) return;
    event.stopPropagation();
    // The browser closes the question of a link, and nothing else.
    if (this.shadowRoot.querySelector(":popover-open")) return;
    event.preventDefault();
    this.hide();
  }

  async #begin(parts) {
    const { conversation, memory, inline, launcher, panel } = parts;
    panel.show(parts.store.state);
    this.#dress();
    const refused = await this.#load(parts);
    if (this.#parts !== parts) return;
    if (refused) {
      // A visitor can do nothing about a wrong key or origin: there is no chat on this page.
      console.warn(`leaf-chat: ${refused.code}: ${refused.message}`);
      this.dispatchEvent(new CustomEvent("leaf-problem", { detail: { code: refused.code } }));
      if (!inline) return;
    }
    const spoken = parts.store.state.agent?.language;
    if (spoken && spoken !== "auto" && spoken !== this.#language && !this.hasAttribute("language")) {
      this.#language = spoken;
      if (languageOf(spoken) !== parts.language) {
        this.#again();
        return;
      }
    }
    if (inline) {
      parts.restored = true;
      if (!this.hasAttribute("preview")) await conversation.restore();
    } else {
      launcher.element.hidden = false;
      if (this.hasAttribute("open") || memory.tab.get("open")) this.show({ focus: false });
    }
    this.dispatchEvent(new CustomEvent("leaf-ready"));
  }

  /** Reads the agent and takes on its look; gives the refusal, where a page may not have it. */
  async #load(parts) {
    const preview = this.getAttribute("preview");
    if (preview !== null) {
      parts.store.dispatch({ type: "agent", agent: parsed(preview) ?? {} });
      this.#dress();
      return null;
    }
    try {
      await parts.conversation.begin({ merge: this.getAttribute("merge") !== "off" });
    } catch (error) {
      if (error instanceof Refused && error.status < 500 && error.status !== 429) return error;
      // Without its words and colours, but the next time that it is opened it asks again.
      parts.store.dispatch({ type: "notice", notice: { code: "offline" } });
      return null;
    }
    if (this.#parts === parts) this.#dress();
    return null;
  }

  #changed(state) {
    const { panel, launcher, dialog, last } = this.#parts;
    panel.show(state);
    if (launcher && dialog && !dialog.open && last && busy(last) && !busy(state)) launcher.element.classList.add("news");
    this.#parts.last = state;
  }

  /** What the page says stands over what the agent's look is. */
  #dress() {
    const { root, store, launcher } = this.#parts;
    const look = { ...store.state.agent?.look };
    for (const name of ["accent", "theme", "position", "radius"]) if (this.hasAttribute(name)) look[name] = this.getAttribute(name);
    dress(root, look);
    if (!launcher) return;
    launcher.label.textContent = String(look.launcher ?? "");
    launcher.element.classList.toggle("named", Boolean(look.launcher));
    this.#drawLauncher();
  }

  #drawLauncher() {
    const { launcher, dialog, say } = this.#parts;
    if (!launcher) return;
    const words = launcher.label.textContent;
    const open = Boolean(dialog?.open);
    const label = open ? say("widget.close") : words || say("widget.open");
    launcher.element.replaceChildren(icon(open ? "down" : "chat"), launcher.label);
    set(launcher.element, { "aria-expanded": String(open), "aria-label": label });
    launcher.element.classList.toggle("open", open);
  }

  /** A narrow window has a modal panel and a wide one does not. */
  #reopen = () => {
    const dialog = this.#parts?.dialog;
    if (!dialog?.open) return;
    const focused = this.#parts.shadow.activeElement;
    dialog.close();
    if (this.#parts.narrow.matches) dialog.showModal();
    else dialog.show();
    focused?.focus();
  };

  /** Another visitor: what is shown is theirs alone. Several changes at once are one. */
  #restart() {
    if (!this.#parts || this.#restarting) return;
    this.#restarting = true;
    queueMicrotask(() => {
      this.#restarting = false;
      if (!this.#parts) return;
      const same = sameUser(this.#parts.identity, this.userToken, this.getAttribute("user-id") ?? "");
      if (same) {
        this.#parts.identity.take(this.userToken);
        return;
      }
      // What was on its way was the other visitor's.
      this.#parts.memory.tab.set("pending", null);
      this.#again();
    });
  }

  #again() {
    this.#end();
    if (this.isConnected) this.#start();
  }

  #end() {
    const parts = this.#parts;
    if (!parts) return;
    this.#parts = null;
    parts.unwatch?.();
    parts.narrow?.removeEventListener("change", this.#reopen);
    parts.conversation.close();
    parts.shadow.replaceChildren();
  }
}

/** A new token for the same user goes on with what is shown. */
const sameUser = (identity, token, user) =>
  typeof token === "string" && typeof identity.source === "string" && Boolean(token) && Boolean(identity.source) && identity.user === user && userOf(token) === userOf(identity.source);

function parsed(text) {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    console.warn("leaf-chat: an attribute is no JSON");
    return undefined;
  }
}

function deepActive() {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

let HOME = globalThis.location?.origin ?? "";

/** Where Leaf is, if an element does not say: where its script came from. */
export function comeFrom(address) {
  HOME = address;
}

const ATTRIBUTES = {
  apiKey: "api-key",
  server: "server",
  userId: "user-id",
  language: "language",
  dir: "dir",
  theme: "theme",
  accent: "accent",
  position: "position",
  radius: "radius",
  mode: "mode",
  merge: "merge",
};

/**
 * Adds the widget to a page: `mount({ apiKey, userId, userToken, metadata, …, parent })`, with further keys as
 * `ATTRIBUTES` and `open: true`. Gives the element.
 */
export function mount({ parent, ...options } = {}) {
  define();
  const element = document.createElement("leaf-chat");
  for (const [name, attribute] of Object.entries(ATTRIBUTES)) if (options[name] != null) set(element, { [attribute]: options[name] });
  if (options.open) element.setAttribute("open", "");
  if (options.metadata !== undefined) element.metadata = options.metadata;
  if (options.tools) element.tools = options.tools;
  if (options.userToken) element.userToken = options.userToken;
  (parent ?? document.body).append(element);
  return element;
}

export function define() {
  if (!customElements.get("leaf-chat")) customElements.define("leaf-chat", LeafChat);
}

/** For a classic script: an element for its `data-…`, where it has a key. */
export function startFrom(script) {
  if (script?.src) comeFrom(new URL(script.src, location.href).origin);
  define();
  const { metadata, open, ...data } = script?.dataset ?? {};
  if (!data.apiKey) return;
  const options = { ...data, metadata: parsed(metadata), open: open !== undefined };
  if (document.body) mount(options);
  else document.addEventListener("DOMContentLoaded", () => mount(options), { once: true });
}
