// What a browser keeps for the widget, by the agent's key: in localStorage, for one tab in sessionStorage, and where a
// page may keep nothing, for as long as it stands.

const storageOf = (name) => {
  try {
    const storage = globalThis[name];
    storage.setItem("leaf-chat", "1");
    storage.removeItem("leaf-chat");
    return storage;
  } catch {
    return undefined;
  }
};

class Shelf {
  #storage;
  #prefix;
  #own = new Map();
  constructor(storage, prefix) {
    this.#storage = storage;
    this.#prefix = prefix;
  }

  get(name) {
    try {
      const text = this.#storage ? this.#storage.getItem(this.#prefix + name) : this.#own.get(name);
      return text == null ? null : JSON.parse(text);
    } catch {
      return null;
    }
  }

  set(name, value) {
    const text = value == null ? null : JSON.stringify(value);
    try {
      if (!this.#storage) throw new Error("nothing is kept");
      if (text === null) this.#storage.removeItem(this.#prefix + name);
      else this.#storage.setItem(this.#prefix + name, text);
    } catch {
      if (text === null) this.#own.delete(name);
      else this.#own.set(name, text);
    }
  }
}

export class Memory {
  constructor(key, local = storageOf("localStorage"), tab = storageOf("sessionStorage")) {
    const prefix = `leaf-chat:${key}:`;
    this.kept = new Shelf(local, prefix);
    this.tab = new Shelf(tab, prefix);
  }
}

/** The secret by which an anonymous visitor is known again: 192 random bits. */
export function newSession() {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}

/** A random id; `crypto.randomUUID` is there on secure pages alone. */
export const newId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");
