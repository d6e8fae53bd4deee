// A question's bubble; in its place the box in which it is asked in another way.
import { createElement as h, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Pencil } from "lucide-react";
import { useLocation } from "react-router";
import { Came, Words } from "./attached.js";
import { begunAt, forget, keep, placeOf } from "./kept.js";
import { Rewording } from "./rewording.js";
import { useTexts } from "./texts.js";

/** Props: `text`, `mentions` and `came` (`[{label, address}]`), `origin` (where the routes answer), `limit` (characters), `own` (who looks has asked it), `onEdit(text, {mentions})` with the files of Drive that it names anew, `children` (what else can be done). */
export function Question({ text, mentions, came, origin, limit, own, onEdit, children }) {
  const chat = useLocation().pathname.split("/").at(2);
  const t = useTexts();
  const button = useRef(null);
  const left = useRef(false);
  const [editing, setEditing] = useState(false);
  const bubble = useRef(null);
  const place = useRef(null);
  const begun = useRef(null);

  // What was being typed in this place, when another version of the question came or the page was loaded anew.
  useLayoutEffect(() => {
    begun.current = begunAt(chat, placeOf(bubble.current), text);
    if (begun.current) edit();
  }, []);
  useEffect(() => {
    if (editing || !left.current) return;
    left.current = false;
    button.current?.focus({ preventScroll: true });
  }, [editing]);

  const edit = () => {
    place.current = placeOf(bubble.current);
    setEditing(true);
  };
  if (editing) {
    const onKeep = (words) => keep(chat, place.current, words);
    const onSent = () => forget(chat, place.current);
    const onCancel = () => {
      begun.current = null;
      forget(chat, place.current);
      left.current = true;
      setEditing(false);
    };
    return [
      h(Came, { key: "came", files: came ?? [], chat, origin }),
      h(Rewording, { key: "edit", text, mentions: mentions ?? [], origin, limit, place: place.current, begun: begun.current, onSend: onEdit, onKeep, onSent, onCancel }),
    ];
  }
  return [
    h(Came, { key: "came", files: came ?? [], chat, origin }),
    h("div", { key: "bubble", ref: bubble, className: "bubble" }, ...Words({ text, mentions: mentions ?? [] })),
    h(
      "div",
      { key: "actions", className: "actions" },
      children,
      own && h(
        "button",
        {
          ref: button,
          type: "button",
          className: "icon-button small",
          "aria-label": t("versions.edit"),
          "data-keeps-place": "true",
          title: t("versions.edit"),
          onClick: edit,
        },
        h(Pencil, { size: 15, "aria-hidden": true }),
      ),
    ),
  ];
}
