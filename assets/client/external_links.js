// Links that lead out of Leaf: each shows its host, and one that may hold text of documents asks before it opens.
import { createElement as h, Fragment, useContext, useId } from "react";
import { Answer } from "./citations.js";
import { hostOf, looksLikeAddress } from "./links.js";
import { useTexts } from "./texts.js";

/** What a link says, pictures and formulas included: a formula can be drawn as any address. */
export const saysOf = (node) =>
  node.tagName === "tex-formula" ? "://" : (node.value ?? node.properties?.alt ?? (node.children ?? []).map(saysOf).join(""));

/** An address as a browser opens it. */
const opened = (address) => URL.parse(address)?.href ?? address;

/** Its host at the pointer and the focus; in the text where the words look like an address, or no tool has found the host. */
export function OutsideLink({ href, says, children }) {
  const { hosts, asks, given } = useContext(Answer);
  const host = hostOf(href);
  const shown = hosts?.[host] ?? host;
  const mayTell = asks === "addresses" ? !given?.some((one) => opened(one) === opened(href)) : asks === "hosts" && !hosts?.[host];
  return h(
    Fragment,
    null,
    h(mayTell ? Asked : Direct, { href, host: shown }, children),
    says !== shown && (looksLikeAddress(says) || !hosts?.[host]) && h("bdi", { className: "link-host", dir: "ltr" }, ` (${shown})`),
  );
}

const out = { target: "_blank", rel: "noopener noreferrer nofollow" };

const Direct = ({ href, host, children }) => h("a", { href, className: "outside", "data-host": host, ...out }, children);

/** A button that shows the whole address, from where it can be opened. */
function Asked({ href, host, children }) {
  const t = useTexts();
  const id = useId();
  return h(
    Fragment,
    null,
    h("button", { type: "button", className: "outside asked", "data-host": host, "data-address": opened(href), popoverTarget: id }, children),
    h(
      "span",
      { id, popover: "auto", role: "dialog", "aria-label": t("messages.link_asks"), className: "link-asks" },
      t("messages.link_asks"),
      h("bdi", { dir: "ltr" }, opened(href)),
      h("a", { href, ...out }, t("messages.link_open")),
    ),
  );
}
