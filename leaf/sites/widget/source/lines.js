// What a stream of bytes says: server-sent events, or lines of JSON. Nothing that arrives makes this throw, and
// whatever is whole is told, however the bytes were cut on their way.

/** Longer lines are dropped: no event of an answer comes near, and a page must not run out of memory. */
export const MOST_CHARACTERS = 4_000_000;

/** Bytes in pieces → text in lines. Ends of lines are LF, CR LF or CR; bytes that are no UTF-8 become U+FFFD. */
export class Lines {
  #decoder = new TextDecoder("utf-8");
  #pieces = [];
  #length = 0;
  #afterReturn = false;
  #tooLong = false;

  /** The lines that a further piece completes. `null` stands for one that was too long. */
  add(bytes) {
    return this.#split(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What was left without an end of line, if anything. */
  end() {
    const lines = this.#split(this.#decoder.decode());
    if (this.#length || this.#tooLong) lines.push(this.#take());
    return lines;
  }

  #split(text) {
    const found = [];
    let from = 0;
    if (this.#afterReturn && text) {
      if (text[0] === "\n") from = 1;
      this.#afterReturn = false;
    }
    const ends = /\r\n|\n|\r/g;
    ends.lastIndex = from;
    for (let end = ends.exec(text); end; end = ends.exec(text)) {
      this.#keep(text.slice(from, end.index));
      found.push(this.#take());
      from = ends.lastIndex;
      if (end[0] === "\r" && from === text.length) this.#afterReturn = true;
    }
    this.#keep(text.slice(from));
    return found;
  }

  #keep(text) {
    this.#length += text.length;
    if (this.#length > MOST_CHARACTERS) {
      this.#pieces = [];
      this.#tooLong = true;
    } else if (text) {
      this.#pieces.push(text);
    }
  }

  #take() {
    const line = this.#tooLong ? null : this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    this.#tooLong = false;
    return line;
  }
}

/** A JSON object, or undefined for everything else. Depth and size are the engine's to refuse. */
export function objectOf(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A whole number from 0 that is exact, or undefined: `1e999` and `12x` are none. */
export function indexOf(text) {
  const number = /^\d{1,16}$/.test(text ?? "") ? Number(text) : NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/**
 * Server-sent events in pieces → `{data, index}` for each that holds a JSON object; `index` is that of its `id:`.
 * `broken` counts the events that held something else. `[DONE]` sets `done`.
 */
export class Events {
  broken = 0;
  done = false;
  #lines = new Lines();
  #data = [];
  #index = undefined;
  #first = true;
  #spoiled = false;

  add(bytes) {
    return this.#lines.add(bytes).flatMap((line) => this.#line(line));
  }

  /** A last event without its empty line counts where its JSON is whole: what was cut off has none. */
  end() {
    return [...this.#lines.end(), ""].flatMap((line) => this.#line(line));
  }

  #line(line) {
    if (line === null) {
      this.#spoiled = true;
      return [];
    }
    if (this.#first) {
      this.#first = false;
      line = line.replace(/^\uFEFF/, "");
    }
    if (line === "") return this.#event();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "id") this.#index = indexOf(value);
    return [];
  }

  #event() {
    const text = this.#data.join("\n");
    const [empty, spoiled, index] = [this.#data.length === 0, this.#spoiled, this.#index];
    this.#data = [];
    this.#spoiled = false;
    this.#index = undefined;
    if (spoiled) this.broken += 1;
    if (spoiled || empty) return [];
    if (text === "[DONE]") {
      this.done = true;
      return [];
    }
    const data = objectOf(text);
    if (data === undefined) {
      this.broken += 1;
      return [];
    }
    return [{ data, index }];
  }
}

/** Lines of JSON in pieces → `{data, index}`, as `Events`; lines have no index of their own. */
export class JsonLines {
  broken = 0;
  done = false;
  #lines = new Lines();

  add(bytes) {
    return this.#lines.add(bytes).flatMap((line) => this.#line(line));
  }

  end() {
    return this.#lines.end().flatMap((line) => this.#line(line));
  }

  #line(line) {
    if (line !== null && !line.replace(/^\uFEFF/, "").trim()) return [];
    const data = line === null ? undefined : objectOf(line);
    if (data === undefined) {
      this.broken += 1;
      return [];
    }
    return [{ data, index: undefined }];
  }
}

/** The reader for what a response says that it is. */
export function readerFor(contentType) {
  return /^application\/(x-ndjson|jsonl)\b/i.test(contentType ?? "") ? new JsonLines() : new Events();
}
