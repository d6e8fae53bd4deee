// Code and JSON in colours. The text is there at once, the colours come when the highlighter has been loaded.
// It is drawn by `leaf/components/markdown.py`.
import { useEffect, useMemo, useState } from "react";

/** A text, in the colours of its language once they are there; `waits` while it grows. */
export function useColours(text, language, waits) {
  const [coloured, setColoured] = useState(null);
  useEffect(() => {
    if (waits || !language) return undefined;
    let mounted = true;
    import("./highlighter.js")
      .then(({ highlight }) => mounted && setColoured(highlight(text, language)))
      .catch(() => {}); // It can be read without colours.
    return () => {
      mounted = false;
      setColoured(null);
    };
  }, [text, language, waits]);
  return coloured ?? text;
}

/** Whether a text is JSON as a whole: "[page 1]" only begins like JSON. */
function isJson(text) {
  try {
    return /^\s*[[{]/.test(text) && Boolean(JSON.parse(text));
  } catch {
    return false;
  }
}

/** A text, in colours if it is JSON. */
export const useJsonColours = (text) => useColours(text, useMemo(() => (isJson(text) ? "json" : ""), [text]), false);
