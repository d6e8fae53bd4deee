// The visitor's earlier chats: to open, to archive, and to delete after being asked once more.
import { h, icon, keep } from "./dom.js";
import { ago } from "./texts.js";

export class Chats {
  #say;
  #language;
  #actions;
  #shown = null;
  #asking = null;

  /** `actions` are `open(id)`, `remove(id)`, `archive(id, archived)`, `shelf(archived)` and `more()`. */
  constructor(say, language, actions) {
    this.#say = say;
    this.#language = language;
    this.#actions = actions;
    this.list = h("ul", { class: "rows", role: "list" });
    this.words = h("p", { class: "empty" });
    this.more = h("button", { type: "button", class: "plain more", onClick: () => actions.more() }, say("widget.more"));
    this.shelf = h("button", { type: "button", class: "plain more", onClick: () => actions.shelf(!this.#shown.chats.archived) });
    this.element = h("div", { class: "chats", hidden: true }, this.list, this.words, this.more, this.shelf);
  }

  show({ chats, chat }) {
    if (this.#shown?.chats === chats && this.#shown.chat === chat && this.#shown.asking === this.#asking) return;
    this.#shown = { chats, chat, asking: this.#asking };
    keep(this.list, chats.items.map((one) => this.#row(one, one.id === chat)));
    this.list.hidden = chats.items.length === 0;
    this.more.hidden = !chats.next;
    this.shelf.hidden = chats.local || chats.state === "unknown";
    this.shelf.textContent = this.#say(chats.archived ? "widget.current" : "widget.archived");
    const none = this.#say(chats.archived ? "widget.no_archived" : "widget.no_chats");
    const words = { loading: this.#say("widget.loading"), failed: this.#say("widget.cannot_list") }[chats.state] ?? none;
    this.words.hidden = chats.items.length > 0;
    this.words.textContent = words;
  }

  /** A row by all that it shows: a list that is read again and says the same is not drawn again. */
  #row(one, current) {
    const title = one.title || this.#say("widget.untitled");
    const asked = this.#asking === one.id;
    const when = one.running ? this.#say("widget.writing") : ago(one.lastEventAt, this.#language, this.#say);
    const { archived, local } = this.#shown.chats;
    const key = JSON.stringify([one.id, title, when, current, asked, archived, local]);
    return [key, () => (asked ? this.#question(one, title) : this.#chat(one, title, when, current))];
  }

  #chat(one, title, when, current) {
    const open = h(
      "button",
      { type: "button", class: "row", "aria-current": current ? "true" : null, onClick: () => this.#actions.open(one.id) },
      h("span", { class: "title", dir: "auto" }, title),
      h("span", { class: "when" }, when),
    );
    const label = this.#say("widget.delete", { title });
    const bin = h("button", { type: "button", class: "sign", "aria-label": label, title: label, onClick: () => this.#ask(one.id) }, icon("bin"));
    bin.dataset.chat = one.id;
    return h("li", null, open, this.#shown.chats.local ? null : this.#box(one, title), bin);
  }

  #box(one, title) {
    const { archived } = this.#shown.chats;
    const label = archived ? this.#say("widget.unarchive", { title }) : this.#say("widget.archive", { title });
    const act = () => this.#leave(one.id, () => this.#actions.archive(one.id, !archived));
    return h("button", { type: "button", class: "sign", "aria-label": label, title: label, onClick: act }, icon(archived ? "unbox" : "box"));
  }

  #question(one, title) {
    const yes = h("button", { type: "button", class: "danger", onClick: () => this.#remove(one.id) }, this.#say("widget.delete_yes"));
    const no = h("button", { type: "button", class: "plain", onClick: () => this.#ask(null, one.id) }, this.#say("widget.cancel"));
    const words = h("p", null, this.#say("widget.delete_sure"));
    return h("li", { class: "sure", role: "group", "aria-label": title }, words, h("span", { class: "choices" }, no, yes));
  }

  /** Asks whether a chat should go, or no longer does; the focus goes with it. */
  #ask(id, before) {
    this.#asking = id;
    this.show(this.#shown);
    const next = id ? this.list.querySelector(".sure .plain") : [...this.list.querySelectorAll(".sign")].find((one) => one.dataset.chat === before);
    next?.focus();
  }

  #remove(id) {
    this.#asking = null;
    return this.#leave(id, () => this.#actions.remove(id));
  }

  /** A row goes; the focus goes to the next one. */
  async #leave(id, act) {
    const place = this.#shown.chats.items.findIndex((one) => one.id === id);
    await act();
    const rows = [...this.list.querySelectorAll(".row")];
    (rows[Math.min(place, rows.length - 1)] ?? this.element.getRootNode().querySelector("header .sign"))?.focus();
  }
}
