// The Drive files whose name begins as somebody types it behind `@`.
import { useEffect, useState } from "react";

const PAUSE_MS = 180;
const MOST_CHARACTERS = 60;
const BEGUN = /(?:^|[\s([{"'„“«])@([^\s@][^\n@]*|)$/;

/**
 * What is being typed as a name before the caret, `{from, query}`, or null. Names have blanks, so it may be several words;
 * one that was chosen already is none.
 */
export function nameAt(text, caret, mentions) {
  const before = text.slice(0, caret);
  const match = BEGUN.exec(before);
  if (!match || match[1].length > MOST_CHARACTERS || /\s\s$/.test(match[1])) return null;
  const from = caret - match[1].length - 1;
  if (mentions.some((one) => before.slice(from + 1).startsWith(one.name))) return null;
  return { kind: "name", from, query: match[1] };
}

const NONE = Object.freeze({ query: null, state: "idle", files: [], more: false });

async function ask(address, signal) {
  const answer = await fetch(address, { signal, credentials: "include" });
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return { state: "found", files: body.files, more: body.more };
  const code = body.error?.code;
  if (code === "drive_not_connected" || code === "drive_revoked") return { state: "unconnected", files: [], more: false };
  return { state: code === "rate_limited" ? "often" : "failed", files: [], more: false };
}

/**
 * What was found for a query, `{state, files, more}`: idle (nothing typed), searching, found, unconnected, often or failed.
 * What was found for an earlier query stays until there is something newer; a query that is outdated is cancelled.
 */
export function useNames(query, origin) {
  const [found, setFound] = useState(NONE);
  const wanted = (query ?? "").trim();
  useEffect(() => {
    if (!wanted) {
      setFound(NONE);
      return undefined;
    }
    const asking = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const told = await ask(`${origin}/api/drive/names?begun=${encodeURIComponent(wanted)}`, asking.signal);
        if (!asking.signal.aborted) setFound({ query: wanted, ...told });
      } catch {
        if (!asking.signal.aborted) setFound({ query: wanted, state: "failed", files: [], more: false });
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [wanted, origin]);
  if (!wanted) return NONE;
  return found.query === wanted ? found : { ...found, state: "searching" };
}
