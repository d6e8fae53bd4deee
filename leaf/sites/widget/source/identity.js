// Who the visitor is: an anonymous session, a user whom the page names, or one for whom the site's server signs.
import { newSession } from "./memory.js";
import { Offline } from "./server.js";

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
  /** What a token said last: a page that cannot make one just now has still the same user. */
  #user = "";

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
    if (this.signed) {
      try {
        this.#user = userOf(await this.#given()) || this.#user;
      } catch (error) {
        if (!(error instanceof Offline)) throw error;
      }
      return `signed:${this.#user}`;
    }
    return this.user ? `user:${this.user}` : "anonymous";
  }

  async headers() {
    const who = { "x-leaf-session": this.session };
    if (this.signed) who["x-leaf-user-token"] = await this.#given();
    else if (this.user) who["x-leaf-user"] = encodeURIComponent(this.user);
    return who;
  }

  /** Whether there is another token by now than one that was refused. */
  isNewer(refused) {
    return Boolean(this.#token) && this.#token !== refused;
  }

  /** Asks the page for a newer token than one that was refused, where it has said how; whether there is one. */
  async renew(refused) {
    // Of several requests with the old token the first asks; a page may give one token for as long as it lasts.
    if (this.isNewer(refused)) return true;
    if (typeof this.source !== "function") return false;
    this.#token = "";
    return (await this.#given()) !== refused;
  }

  async #given() {
    if (this.#token || typeof this.source !== "function") return this.#token;
    this.#asked ??= Promise.resolve()
      .then(() => this.source())
      .catch((error) => {
        throw new Offline(`The page has no token: ${error?.message ?? error}`);
      })
      .finally(() => (this.#asked = null));
    this.#token = String((await this.#asked) ?? "");
    return this.#token;
  }
}
