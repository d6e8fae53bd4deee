// The button that has an answer written once more, with the same model or with another one.
import { createElement as h } from "react";
import { RefreshCw } from "lucide-react";
import { Menu } from "./menu.js";
import { OnceButton } from "./once.js";

const LABEL = "Regenerate";
const CLASS = "icon-button small";

/** Props: `models` (`[{id, label}]`, none where there is no choice), `onChoose(id)` with "" for the usual model. */
export function Regenerate({ models, onChoose }) {
  const face = h(RefreshCw, { size: 15, "aria-hidden": true });
  if (!models?.length) {
    const props = { "aria-label": LABEL, title: LABEL, className: CLASS, "data-retry": "true", onClick: () => onChoose("") };
    return h(OnceButton, props, face);
  }
  const item = (id, label) =>
    h(
      "button",
      { key: id, type: "button", role: "menuitem", className: "menu-item", "data-retry": "true", onClick: () => onChoose(id) },
      label,
    );
  return h(Menu, { label: LABEL, face, className: CLASS }, item("", "Try again"), ...models.map(({ id, label }) => item(id, label)));
}
