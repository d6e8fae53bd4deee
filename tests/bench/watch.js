// Notes when the words of the newest answer are painted: [Unix time in ms, number of the last word] for each frame.
() => {
  const bench = (window.bench = { seen: [], long: [], sent: 0, last: -1 });
  const now = () => performance.timeOrigin + performance.now();
  let due = false;
  const newest = () => {
    const blocks = document.querySelectorAll(".message.answer.live .md");
    if (!blocks.length) return -1;
    const words = blocks[blocks.length - 1].textContent.slice(-80).match(/w\d+/g);
    return words ? Number(words[words.length - 1].slice(1)) : -1;
  };
  const frame = () => {
    due = false;
    const word = newest();
    if (word <= bench.last) return;
    bench.last = word;
    const channel = new MessageChannel();
    channel.port1.onmessage = () => bench.seen.push([now(), word]);
    channel.port2.postMessage(0);
  };
  new MutationObserver(() => {
    if (due) return;
    due = true;
    requestAnimationFrame(frame);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) bench.long.push([performance.timeOrigin + task.startTime, task.duration]);
  }).observe({ type: "longtask", buffered: false });
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Enter") Object.assign(bench, { seen: [], long: [], last: -1, sent: now() });
    },
    true,
  );
}
