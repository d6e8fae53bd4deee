// Diagrams of Mermaid. What comes out is a picture: in an `img` no script runs, no link leads anywhere and nothing is
// loaded. The library is loaded only where there is a diagram.
import { createElement as h, memo, useEffect, useState, useSyncExternalStore } from "react";
import { Code } from "./source.js";
import { useTexts } from "./texts.js";

const dark = () => {
  const { classList } = document.documentElement;
  return classList.contains("dark") || (!classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
};

function watchTheme(changed) {
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(changed);
  scheme.addEventListener("change", changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["class", "style"] });
  return () => {
    scheme.removeEventListener("change", changed);
    observer.disconnect();
  };
}

/** A diagram as a picture; its code while it is drawn and where it cannot be. */
export const Diagram = memo(function Diagram({ code, growing }) {
  const t = useTexts();
  const night = useSyncExternalStore(watchTheme, dark);
  const [picture, setPicture] = useState(null);
  useEffect(() => {
    if (growing) return undefined;
    let mounted = true;
    import("./mermaid.js")
      .then(({ draw }) => draw(code, night))
      .then((drawn) => mounted && setPicture(drawn))
      .catch(() => mounted && setPicture(null)); // Its code stays.
    return () => {
      mounted = false;
    };
  }, [code, growing, night]);
  if (!picture) return h(Code, { code, language: "mermaid", growing });
  const { address, width, height, words } = picture;
  return h(
    "figure",
    { className: "diagram" },
    h("div", { className: "diagram-frame", tabIndex: 0, role: "region", "aria-label": t("research.diagram") },
      h("img", { src: address, width, height, alt: t("research.diagram_of", { words }), onError: () => setPicture(null) })),
    h("details", null, h("summary", null, t("research.diagram_code")), h(Code, { code, language: "mermaid" })),
  );
});
