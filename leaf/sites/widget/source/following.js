// Follows an answer to its end over as many connections as that takes.
import { readerFor } from "./lines.js";
import { BEGINNING, Reading, after } from "./place.js";
import { Offline, Refused } from "./server.js";

const SILENCE_MS = 45_000;
/** The server says something every 15 s: a connection that is silent for so long is dead. */

export const PAUSES_MS = [250, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000];

/**
 * Reads the stream of one answer.
 *
 * `first(signal)` makes the first request and `again(after, signal)` the later ones; both give a response, of status
 * 204 where nothing is being written any more. `onFrame` gets each frame once, `onLost` is called for each connection
 * that was lost, and `pause(ms)` waits before the next one, or until the browser is online again.
 *
 * Gives "done" after a `done`, and "gone" where the answer is not there to be read any more. Throws `Refused` where the
 * first request is refused, and `Offline` where nothing helps.
 */
export async function follow({ first, again, onFrame, onLost = () => {}, pause, signal, silenceMs = SILENCE_MS }) {
  let place = BEGINNING;
  let run = null;
  let failures = 0;
  let request = first;
  for (;;) {
    const connection = new AbortController();
    const abort = () => connection.abort();
    signal?.addEventListener("abort", abort);
    const before = place;
    try {
      if (signal?.aborted) return "aborted";
      const response = await request(connection.signal, after(place));
      if (response.status === 204) return "gone";
      const named = response.headers.get("x-leaf-run-id");
      if (run && named && named !== run) return "gone";
      run = named ?? run;
      const reading = new Reading(place);
      for await (const { data, index } of framesOf(response, connection, silenceMs)) {
        const id = Number.isSafeInteger(data.id) && data.id >= 0 ? data.id : index;
        // A note that there is no frame yet has the id of the last one, and does not come again.
        if (data.type !== "waiting" && !reading.take(id, WHOLE.has(data.type))) continue;
        place = reading.place;
        if (typeof data.type === "string") onFrame(data);
        if (data.type === "done") return "done";
      }
    } catch (error) {
      if (signal?.aborted) return "aborted";
      if (error instanceof Refused && !passing(error)) {
        // It is over for who may not read it any more; only the first request has words for the visitor.
        if (request === first) throw error;
        return "gone";
      }
      if (error instanceof Refused && request === first) throw error;
      if (!(error instanceof Refused) && !(error instanceof Offline) && !connection.signal.aborted) throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
      connection.abort();
    }
    failures = place === before ? failures + 1 : 1;
    if (failures > PAUSES_MS.length) throw new Offline("The answer could not be read to its end.");
    onLost(failures);
    await pause(PAUSES_MS[failures - 1]);
    request = place === BEGINNING && run === null ? first : (signalOf, from) => again(from, signalOf);
  }
}

const WHOLE = new Set(["reset", "done"]);

const passing = (error) => error.status >= 500 || error.status === 429;

/** The frames of a response; a cut connection ends them, after whatever was whole has been told. */
async function* framesOf(response, connection, silenceMs) {
  const reader = readerFor(response.headers.get("content-type"));
  const body = response.body.getReader();
  let timer;
  try {
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(() => connection.abort(), silenceMs);
      let piece;
      try {
        piece = await body.read();
      } catch {
        break;
      }
      if (piece.done) break;
      yield* reader.add(piece.value);
    }
    yield* reader.end();
  } finally {
    clearTimeout(timer);
  }
}
