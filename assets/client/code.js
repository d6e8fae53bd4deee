// Code and JSON in colours. The text is there at once, the colours come when the highlighter has been loaded.
import { createElement as h, memo, useEffect, useMemo, useState } from "react";
import { WrapText } from "lucide-react";
import { CopyButton } from "./copy.js";
import { useTexts } from "./texts.js";

function useColours(text, language, waits) {
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

/** A code block: its language, a button that wraps its lines, one that copies it. It is coloured once it no longer grows. */
export const Code = memo(function Code({ code, language, growing }) {
  const t = useTexts();
  const shown = useColours(code, language, growing);
  const [wraps, setWraps] = useState(false);
  const label = t("research.wrap");
  const wrap = { type: "button", className: "icon-button small", "aria-label": label, title: label, "aria-pressed": wraps, onClick: () => setWraps(!wraps) };
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
        h("button", wrap, h(WrapText, { size: 15, "aria-hidden": true })),
        h(CopyButton, { text: code, label: t("messages.copy_code") }),
      ),
    ),
    h("pre", { tabIndex: 0 }, h("code", null, shown)),
  );
});

/** Whether a text is JSON as a whole: "[page 1]" only begins like JSON. */
function isJson(text) {
  try {
    return /^\s*[[{]/.test(text) && Boolean(JSON.parse(text));
  } catch {
    return false;
  }
}

/** The input or output of a tool. Props: `text`, `label`, `className`. */
export const Source = memo(function Source({ text = "", label, className }) {
  const language = useMemo(() => (isJson(text) ? "json" : ""), [text]);
  return h("pre", { tabIndex: 0, "aria-label": label, className }, h("code", null, useColours(text, language, false)));
});
