// The sheet that says which keys do what.
import { createElement as h, useState } from "react";
import { X } from "lucide-react";
import { Modal } from "./modal.js";
import { SHORTCUTS, keysOf } from "./shortcuts.js";
import { useTexts } from "./texts.js";

/** The sheet; the hidden button is what opens it, also for the palette. */
export function Help() {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const lines = open ? SHORTCUTS.filter((one) => !one.again) : [];
  return [
    h("button", { key: "button", type: "button", hidden: true, "data-help": "true", onClick: () => setOpen((was) => !was) }),
    h(
      Modal,
      { key: "sheet", open, label: t("palette.shortcuts"), onClose: close },
      h(
        "div",
        { className: "help-head" },
        h("h2", null, t("palette.shortcuts")),
        h(
          "button",
          { type: "button", className: "icon-button small", "aria-label": t("common.close"), title: t("common.close"), onClick: close },
          h(X, { size: 16, "aria-hidden": true }),
        ),
      ),
      h(
        "dl",
        { className: "help-keys" },
        lines.map((one) =>
          h(
            "div",
            { key: one.name },
            h("dt", null, t(one.name)),
            h("dd", null, keysOf(one).map((key) => h("kbd", { key }, key))),
          ),
        ),
      ),
    ),
  ];
}
