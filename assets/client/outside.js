// Links that lead out of Leaf: each shows its host.
import { createElement as h, Fragment, useContext } from "react";
import { Answer } from "./cites.js";
import { hostOf, looksLikeAddress } from "./links.js";

/** What a link says, pictures and formulas included: a formula can be drawn as any address. */
export const saysOf = (node) =>
  node.tagName === "tex-formula" ? "://" : (node.value ?? node.properties?.alt ?? (node.children ?? []).map(saysOf).join(""));

/** Its host at the pointer and the focus; in the text where the words look like an address, or no tool has found the host. */
export function OutsideLink({ href, says, children }) {
  const { hosts } = useContext(Answer);
  const host = hostOf(href);
  const shown = hosts?.[host] ?? host;
  return h(
    Fragment,
    null,
    h("a", { href, className: "outside", "data-host": shown, target: "_blank", rel: "noopener noreferrer nofollow" }, children),
    (looksLikeAddress(says) || !hosts?.[host]) && h("bdi", { className: "link-host", dir: "ltr" }, ` (${shown})`),
  );
}
