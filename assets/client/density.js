// The density of the page: stored by the browser, and applied before the first paint by the script in the head.
import { createElement as h, useEffect, useState } from "react";
import { useTexts } from "./texts.js";

const KEPT = "leaf:density";

export function DensityChoice() {
  const t = useTexts();
  const [now, setNow] = useState("comfortable");
  useEffect(() => setNow(document.documentElement.dataset.density || "comfortable"), []);
  const choose = (event) => {
    const { value } = event.target;
    document.documentElement.dataset.density = value;
    localStorage.setItem(KEPT, value);
    setNow(value);
  };
  return h(
    "select",
    { id: "density", className: "field", value: now, onChange: choose },
    h("option", { value: "comfortable" }, t("account.comfortable")),
    h("option", { value: "compact" }, t("account.compact")),
  );
}
