import { createElement as h } from "react";

const OUTSIDE = /^https?:\/\//i;

/** A link out of Leaf; the bare text where the address is none of the web. */
export function WebLink({ url, className, children }) {
  if (!OUTSIDE.test(String(url ?? ""))) return h("span", { className }, children);
  return h("a", { href: url, className, target: "_blank", rel: "noopener noreferrer nofollow" }, children);
}
