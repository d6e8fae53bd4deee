// Chats under the headings of their days, by the reader's own calendar.

const month = new Intl.DateTimeFormat("en", { month: "long" });
const monthOfYear = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

/** The beginning of a day that lies `days` before that of `now`; days have 23 or 25 hours where clocks are changed. */
function dayBefore(now, days) {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).getTime();
}

/** Names the day of a time: `label(active)`. */
export function dayNames(now) {
  const [today, yesterday, week, days30] = [0, 1, 7, 30].map((days) => dayBefore(now, days));
  const year = new Date(now).getFullYear();
  return (active) => {
    if (active >= today) return "Today";
    if (active >= yesterday) return "Yesterday";
    if (active >= week) return "Previous 7 days";
    if (active >= days30) return "Previous 30 days";
    const day = new Date(active);
    return (day.getFullYear() === year ? month : monthOfYear).format(day);
  };
}

/** Rows with headings between them: `[{heading}, {row}, …]`; those that are pinned come first. */
export function withDays(pinned, rows, now) {
  const nameOf = dayNames(now);
  const items = [];
  if (pinned.length) items.push({ heading: "Pinned" }, ...pinned.map((row) => ({ row })));
  let heading = null;
  for (const row of rows) {
    const name = nameOf(row.active);
    if (name !== heading) items.push({ heading: (heading = name) });
    items.push({ row });
  }
  return items;
}

const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const date = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });

/** When a chat was active: the time today, else the date. */
export const whenOf = (active, now) => (active >= dayBefore(now, 0) ? clock : date).format(active);

/** How long until the next day begins. */
export const untilMidnight = (now) => dayBefore(now, -1) - now;
