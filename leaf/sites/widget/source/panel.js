// The panel: its header, the thread or the list of chats, the composer, and what is told to screen readers.
import { Chats } from "./chats.js";
import { Composer } from "./composer.js";
import { h, set, signButton } from "./dom.js";
import { busy } from "./store.js";
import { Thread } from "./thread.js";

export class Panel {
  #say;
  #before = null;
  #frame = 0;

  /**
   * `actions`: send, attach, detach, stop, retry, like, suggest, open, remove, archive, shelf, more, fresh, view, close. `modal` is whether it is a
   * dialog, which can be closed.
   */
  constructor({ say, language, actions, draft, closable }) {
    this.#say = say;
    this.actions = actions;
    this.status = h("p", { class: "unseen", role: "status" });
    this.thread = new Thread(say, { ...actions, tell: (words) => this.tell(words) });
    this.chats = new Chats(say, language, { ...actions, remove: (id) => this.#remove(id), archive: (...what) => this.#archive(...what) });
    this.composer = new Composer(say, actions, draft);
    this.back = signButton("back", say("widget.back"), () => this.#toChat(), { class: "sign back" });
    this.history = signButton("list", say("widget.earlier"), () => this.#toList());
    this.fresh = signButton("plus", say("widget.new"), () => this.#toNew());
    this.close = closable ? signButton("close", say("widget.close"), actions.close) : "";
    this.face = h("span", { class: "face", "aria-hidden": "true" });
    this.title = h("h2", { id: "title", dir: "auto" });
    this.notice = h("p", { class: "notice", role: "alert", hidden: true });
    const header = h("header", null, this.back, this.face, this.title, this.history, this.fresh, this.close);
    this.element = h("div", { class: "inside" }, header, this.thread.element, this.chats.element, this.notice, this.composer.element, this.status);
  }

  /** Draws a state before the next frame; several that come at once are one drawing. */
  show(state) {
    this.state = state;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw(this.state);
    });
    // What is told must not wait for a frame: hidden pages have none.
    this.#tellChange(state);
  }

  /** Draws at once, for a page whose frames have stopped. */
  draw() {
    if (this.state) this.#draw(this.state);
  }

  #draw(state) {
    const listed = state.view === "list";
    const name = state.agent?.name || this.#say("widget.assistant");
    const title = listed ? this.#say(state.chats.archived ? "widget.archived" : "widget.chats") : name;
    if (this.title.textContent !== title) this.title.textContent = title;
    this.face.textContent = [...name][0]?.toUpperCase() ?? "";
    this.face.hidden = listed;
    this.back.hidden = !listed;
    this.history.hidden = listed;
    this.thread.element.hidden = listed;
    this.chats.element.hidden = !listed;
    this.composer.element.hidden = listed;
    set(this.fresh, { "aria-disabled": state.phase === "sending" ? "true" : null });
    this.composer.show(state);
    if (listed) this.chats.show(state);
    else this.thread.show(state);
    this.#drawNotice(state.notice);
  }

  #drawNotice(notice) {
    const words = notice ? this.wordsOf(notice) : "";
    this.notice.hidden = !words;
    if (this.notice.textContent !== words) this.notice.textContent = words;
  }

  /** A refusal in words. Those of the server are for people, but English. */
  wordsOf({ code, message, seconds }) {
    switch (code) {
      case "offline":
        return this.#say("widget.offline");
      case "rate_limited":
        return seconds ? this.#say("widget.limit", { seconds: Math.ceil(seconds) }) : this.#say("widget.limit_later");
      case "quota_reached":
      case "budget_reached":
        return this.#say("widget.limit_later");
      case "conflict":
        return this.#say("widget.busy_elsewhere");
      case "invalid_user_token":
      case "user_token_required":
      case "identity_required":
        return this.#say("widget.sign_in_again");
      case "unknown_key":
      case "origin_not_allowed":
      case "not_found":
        return this.#say("widget.unavailable");
      case "bad_file":
        return this.#say("widget.bad_file");
      case "invalid":
        return message;
      default:
        return this.#say("widget.failed");
    }
  }

  /** The beginning and the end of an answer, and that it waits for a worker. */
  #tellChange(state) {
    const before = this.#before;
    this.#before = state;
    if (!before || before.chat !== state.chat) return;
    if (!busy(before) && busy(state)) this.tell(this.#say("widget.writing"));
    const last = state.messages[state.messages.length - 1];
    if (last?.untaken && !before.messages[before.messages.length - 1]?.untaken) this.tell(this.#say("widget.untaken"));
    if (!busy(before) || busy(state) || state.phase !== "idle") return;
    if (last?.role !== "assistant") return;
    const words = { stopped: this.#say("widget.ended_stopped"), error: this.#say("widget.ended_failed") };
    this.tell(words[last.status] ?? this.#say("widget.ended"));
  }

  tell(words) {
    this.status.textContent = words;
  }

  focus() {
    const touched = globalThis.matchMedia?.("(pointer: coarse)").matches;
    // On a touch screen the keyboard would cover what there is to read.
    if (this.state?.view === "list") this.back.focus();
    else if (touched) this.thread.scroller.focus();
    else this.composer.box.focus();
    this.composer.fit();
  }

  #toChat() {
    this.actions.view("chat");
    this.draw();
    this.history.focus();
  }

  #toList() {
    this.actions.view("list");
    this.draw();
    this.back.focus();
  }

  #toNew() {
    if (this.state?.phase === "sending") return;
    this.actions.fresh();
    this.draw();
    this.composer.box.focus();
  }

  async #archive(id, archived) {
    await this.actions.archive(id, archived);
    this.draw();
    if (this.state.chats.items.some((one) => one.id === id)) return;
    this.tell(archived ? this.#say("widget.moved_out") : this.#say("widget.moved_in"));
  }

  async #remove(id) {
    await this.actions.remove(id);
    this.draw();
    if (!this.state.chats.items.some((one) => one.id === id)) this.tell(this.#say("widget.deleted"));
  }
}
