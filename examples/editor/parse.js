// Server-sent events, as they come over fetch: frames may be split anywhere, follow each other at once, or be damaged.

/** Reads frames from pieces of text. */
export class Frames {
  #rest = "";

  /** The frames `{id, data}` that a piece completes; `data` is JSON that was read, and what is none is left out. */
  push(text) {
    const lines = (this.#rest + text).split(/\n/);
    this.#rest = lines.pop();
    const found = [];
    for (const line of lines) {
      const end = line.replace(/\r$/, "");
      if (end === "") {
        if (this.#data.length) {
          const data = read(this.#data.join("\n"));
          if (data !== undefined) found.push({ id: this.#id, data });
        }
        this.#data = [];
        this.#id = null;
      } else if (end.startsWith("data:")) this.#data.push(end.slice(5).replace(/^ /, ""));
      else if (end.startsWith("id:")) this.#id = end.slice(3).trim();
    }
    return found;
  }

  #data = [];
  #id = null;
}

function read(text) {
  try {
    const value = JSON.parse(text);
    return value && typeof value === "object" && typeof value.type === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
