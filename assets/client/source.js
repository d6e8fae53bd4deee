// Code and JSON in colours. The colours come when the highlighter has been loaded; the text is there at once.
import { createElement as h, memo, useEffect, useMemo, useState } from "react";
import { WrapText } from "lucide-react";
import { CopyButton } from "./copy.js";
import { useTexts } from "./texts.js";

export function useColours(text, language, waits) {
  const [coloured, setColoured] = useState(null);
  useEffect(() => {
    if (waits || !language) return undefined;
    let mounted = true;
    import("./highlighter.js")
      .then(({ highlight }) => mounted && setColoured(highlight(text, language)))
      .catch(() => {}); // Without colours it still reads.
    return () => {
      mounted = false;
      setColoured(null);
    };
  }, [text, language, waits]);
  return coloured ?? text;
}

/** A code block: its language, a button that wraps its lines, one that copies it. It is coloured once it no longer grows. */
export const Code = memo(function Code({ code, language, growing }) {
  const t = useTexts();
  const shown = useColours(code, language, growing);
  const [wraps, setWraps] = useState(false);
  return h(
    "figure",
    { className: "md-code", "data-wraps": wraps },
    h(
      "figcaption",
      null,
      h("span", null, language || t("messages.code_text")),
      h(
        "span",
        { className: "md-code-tools" },
        h(
          "button",
          {
            type: "button",
            className: "icon-button small",
            "aria-label": t("research.wrap"),
            title: t("research.wrap"),
            "aria-pressed": wraps,
            onClick: () => setWraps(!wraps),
          },
          h(WrapText, { size: 15, "aria-hidden": true }),
        ),
        h(CopyButton, { text: code, label: t("messages.copy_code") }),
      ),
    ),
    h("pre", { tabIndex: 0 }, h("code", null, shown)),
  );
});

const JSON_BEGINS = /^\s*[[{]/;

/** Whether a text is JSON as a whole: "[page 1]" only begins like it. */
function isJson(text) {
  if (!JSON_BEGINS.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What a tool was given or gave. Props: `text`, `label`, `className`. */
export const Source = memo(function Source({ text, label, className }) {
  const json = useMemo(() => isJson(text ?? ""), [text]);
  const shown = useColours(text ?? "", json ? "json" : "", false);
  return h("pre", { tabIndex: 0, "aria-label": label, className }, h("code", null, shown));
});
