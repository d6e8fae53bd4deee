// Who the visitor is: an anonymous session, a user whom the page names, or one for whom the site's server signs.
import { newSession } from "./memory.js";

const SESSION = /^[A-Za-z0-9_-]{22,128}$/;

/** What a token says of its user, unchecked: for what the browser keeps by user, and nothing else. */
export function userOf(token) {
  try {
    const payload = String(token).split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (one) => one.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes));
    return String(claims.sub ?? claims.userId ?? "");
  } catch {
    return "";
  }
}

export class Identity {
  #memory;
  #token = "";
  #asked = null;

  /** `user` is an id, `token` a text or a function that gives one, perhaps later. */
  constructor(memory, { user = "", token = "" } = {}) {
    this.#memory = memory;
    this.user = user;
    this.source = token;
    this.#token = typeof token === "string" ? token : "";
  }

  get session() {
    const kept = this.#memory.kept.get("session");
    if (typeof kept === "string" && SESSION.test(kept)) return kept;
    const made = newSession();
    this.#memory.kept.set("session", made);
    return made;
  }

  get signed() {
    return Boolean(this.source);
  }

  /** A newer token for the same user. */
  take(token) {
    this.source = token;
    this.#token = token;
  }

  /** Another session: what was said in the one before cannot be read from this browser any more. */
  forget() {
    this.#memory.kept.set("session", null);
  }

  /** By which name the browser keeps what belongs to this visitor. */
  async scope() {
    if (this.signed) return `signed:${userOf(await this.#given())}`;
    return this.user ? `user:${this.user}` : "anonymous";
  }

  async headers() {
    const who = { "x-leaf-session": this.session };
    if (this.signed) who["x-leaf-user-token"] = await this.#given();
    else if (this.user) who["x-leaf-user"] = encodeURIComponent(this.user);
    return who;
  }

  /** Asks the page for a new token, where it has said how; whether there is one. */
  async renew() {
    if (typeof this.source !== "function") return false;
    const before = this.#token;
    this.#token = "";
    return (await this.#given()) !== before;
  }

  async #given() {
    if (this.#token || typeof this.source !== "function") return this.#token;
    this.#asked ??= Promise.resolve()
      .then(() => this.source())
      .finally(() => (this.#asked = null));
    this.#token = String((await this.#asked) ?? "");
    return this.#token;
  }
}
