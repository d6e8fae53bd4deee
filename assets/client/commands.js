// What can be done by typing `/` at the beginning of a message. Only what the page offers at that moment is listed; what
// begins with `/` and is none of them is a message like any other.
import { BookOpen, Files, Gauge, Gem, Keyboard, Search, Share2, Square, SquarePen, Telescope, Zap } from "lucide-react";

const button = (selector) => () => {
  const found = document.querySelector(selector);
  return found && !found.disabled ? found : null;
};
const pressing = (selector) => ({ offered: button(selector), run: () => button(selector)()?.click() });

/** `word` and `name` are keys of texts: the word is what is typed, the name says what it does. */
const COMMANDS = [
  { word: "commands.new", name: "sidebar.new_chat", icon: SquarePen, ...pressing("[data-new-chat]") },
  { word: "commands.stop", name: "palette.stop", icon: Square, ...pressing(".send-button.stop") },
  { word: "commands.quick", name: "commands.quick_name", icon: Zap, ...pressing('[data-chooses="quick"]') },
  { word: "commands.adaptive", name: "commands.adaptive_name", icon: Telescope, ...pressing('[data-chooses="adaptive"]') },
  { word: "commands.speed", name: "commands.speed_name", icon: Gauge, ...pressing('[data-chooses="speed"]') },
  { word: "commands.quality", name: "commands.quality_name", icon: Gem, ...pressing('[data-chooses="quality"]') },
  { word: "commands.files", name: "commands.files_name", icon: Files, ...pressing('[data-command="files"]') },
  { word: "commands.sources", name: "commands.sources_name", icon: BookOpen, ...pressing('[data-command="sources"]') },
  { word: "commands.share", name: "commands.share_name", icon: Share2, ...pressing('[data-command="share"]') },
  { word: "commands.search", name: "palette.search", icon: Search, ...pressing("[data-palette]") },
  { word: "commands.keys", name: "palette.shortcuts", icon: Keyboard, ...pressing("[data-help]") },
];

/** What is being typed as a command, `{from, query}`, or null: the message is `/` and letters, up to the caret. */
export function commandAt(text, caret) {
  const match = /^\/(\p{L}*)$/u.exec(text.slice(0, caret));
  return match && !/\S/.test(text.slice(caret)) ? { kind: "command", from: 0, query: match[1] } : null;
}

/** The commands that are offered now and whose word begins like the query, or a word of what they do. */
export function commandsFor(query, t) {
  const begun = query.toLowerCase();
  const begins = (text) => text.toLowerCase().split(/\s+/).some((word) => word.startsWith(begun));
  return COMMANDS.filter((one) => one.offered() && (begins(t(one.word)) || begins(t(one.name))));
}
