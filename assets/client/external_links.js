// Links that lead out of Leaf: each shows its host, and one that may hold text of documents asks before it opens.
import { useContext, useId } from "react";
import { Answer } from "./citations.js";
import { hostOf, looksLikeAddress } from "./links.js";

/** What a link says, pictures and formulas included: a formula can be drawn as any address. */
export const saysOf = (node) =>
  node.tagName === "tex-formula" ? "://" : (node.value ?? node.properties?.alt ?? (node.children ?? []).map(saysOf).join(""));

/** An address as a browser opens it. */
const opened = (address) => URL.parse(address)?.href ?? address;

/** A link as it is drawn; its host is `shown` where its words look like an address, or no tool has found it. `id` is that of what asks. */
export function useOutsideLink(href, says) {
  const { hosts, asks: rule, given } = useContext(Answer);
  const id = useId();
  const known = hosts?.[hostOf(href)];
  const host = known ?? hostOf(href);
  const address = opened(href);
  const asks = rule === "addresses" ? !given?.some((one) => opened(one) === address) : rule === "hosts" && !known;
  return { id, address, host, asks, shown: says !== host && (looksLikeAddress(says) || !known) };
}
