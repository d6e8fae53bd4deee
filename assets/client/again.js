// The button that has an answer written once more, with the same model or with another one.
import { createElement as h } from "react";
import { RefreshCw } from "lucide-react";
import { Menu } from "./menu.js";
import { OnceButton } from "./once.js";
import { useTexts } from "./texts.js";

const CLASS = "icon-button small";

/** Props: `models` (`[{id, label}]`, none where there is no choice), `onChoose(id)` with "" for the usual model. */
export function Regenerate({ models, onChoose }) {
  const t = useTexts();
  const label = t("versions.regenerate");
  const face = h(RefreshCw, { size: 15, "aria-hidden": true });
  if (!models?.length) {
    const props = { "aria-label": label, title: label, className: CLASS, "data-retry": "true", onClick: () => onChoose("") };
    return h(OnceButton, props, face);
  }
  const item = (id, words) =>
    h(
      "button",
      { key: id, type: "button", role: "menuitem", className: "menu-item", "data-retry": "true", onClick: () => onChoose(id) },
      words,
    );
  return h(Menu, { label, face, className: CLASS }, item("", t("versions.try_again")), ...models.map((model) => item(model.id, model.label)));
}
