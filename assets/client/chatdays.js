// Chats under the headings of their days, by the reader's own calendar.

const MONTH = { month: "long" };
const MONTH_OF_YEAR = { month: "long", year: "numeric" };

/** The beginning of a day that lies `days` before that of `now`; days have 23 or 25 hours where clocks are changed. */
function dayBefore(now, days) {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).getTime();
}

/** Names the day of a time, as said by `t`: `label(active)`. */
export function dayNames(now, t) {
  const [today, yesterday, week, days30] = [0, 1, 7, 30].map((days) => dayBefore(now, days));
  const year = new Date(now).getFullYear();
  return (active) => {
    if (active >= today) return t("sidebar.today");
    if (active >= yesterday) return t("sidebar.yesterday");
    if (active >= week) return t("sidebar.week");
    if (active >= days30) return t("sidebar.days30");
    return t.date(active, new Date(active).getFullYear() === year ? MONTH : MONTH_OF_YEAR);
  };
}

/** Rows with headings between them: `[{heading}, {row}, …]`; those that are pinned come first. */
export function withDays(pinned, rows, now, t) {
  const nameOf = dayNames(now, t);
  const items = [];
  if (pinned.length) items.push({ heading: t("sidebar.pinned") }, ...pinned.map((row) => ({ row })));
  let heading = null;
  for (const row of rows) {
    const name = nameOf(row.active);
    if (name !== heading) items.push({ heading: (heading = name) });
    items.push({ row });
  }
  return items;
}

const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const DATE = { day: "numeric", month: "short" };

/** When a chat was active: the time today, else the date. */
export const whenOf = (active, now, t) => t.date(active, active >= dayBefore(now, 0) ? CLOCK : DATE);

/** How long until the next day begins. */
export const untilMidnight = (now) => dayBefore(now, -1) - now;
