// Tools that run in the page: carries out the call that an answer waits for, in one tab at a time.
import { Offline, Refused } from "./server.js";

const LOOK_MS = 2000;
const MOST_LOOKS = 5;

const wordsOf = (error) => String(error?.message ?? error).slice(0, 2000) || "It did not work.";

/** What a tool came to: `{result}`, or `{error}`. */
async function outcomeOf(tool, call, signal) {
  if (!tool) return { error: "This page has no such tool." };
  try {
    const result = (await (tool.run ?? tool).call(tool, call.params, { toolCallId: call.toolCallId, signal })) ?? null;
    // What is no JSON fails here, and is the tool's error.
    JSON.stringify(result);
    return { result };
  } catch (error) {
    return { error: wordsOf(error) };
  }
}

/**
 * Carries out a call that waits, or waits until another tab has done so: true in either case, and false where the call is
 * over. `tools()` gives functions by their names, or `{version, run}`; `tab` is a name that outlives a reload.
 */
export async function carryOut({ server, tools, tab, messageId, call, pause, signal }) {
  const known = () => (Object.hasOwn(tools(), call.toolName) ? tools()[call.toolName] : undefined);
  // A page may say what its tools do after the widget is there, and another tab may be the one that knows it.
  for (let looks = 0; !known() && looks < MOST_LOOKS && !signal.aborted; looks += 1) await pause(LOOK_MS);
  if (signal.aborted) return false;
  const tool = known();
  const body = { tab, ...(tool?.version ? { version: tool.version } : {}) };
  const claim = () => server.claim(messageId, call.toolCallId, body);
  let claimed;
  try {
    claimed = await claim();
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Offline)) throw error;
    if (error.code === "tool_version") console.warn(`leaf-chat: ${error.message}`);
    else if (!(error instanceof Offline) && error.status !== 409 && error.status !== 429 && error.status < 500) return false;
    await pause(LOOK_MS);
    return true;
  }
  // The page may have been left while the call was claimed.
  if (signal.aborted) return false;
  const renewing = setInterval(() => claim().catch(() => {}), Math.max(1000, (claimed.leaseSeconds * 1000) / 3));
  try {
    // Whoever leaves keeps the call from nobody.
    const left = new Promise((resolve) => signal.addEventListener("abort", resolve));
    const outcome = await Promise.race([outcomeOf(tool, claimed, signal), left]);
    if (!signal.aborted) await handIn(server, claimed, outcome, pause);
  } finally {
    clearInterval(renewing);
  }
  return true;
}

/** The same counts once: what did not arrive is sent again. */
async function handIn(server, { hookToken, toolCallId, version, dueSeconds }, outcome, pause) {
  const ends = Date.now() + dueSeconds * 1000;
  for (;;) {
    try {
      await server.handIn(hookToken, { toolCallId, version, ...outcome });
      return;
    } catch (error) {
      if (error instanceof Refused && error.status === 400 && "result" in outcome) outcome = { error: wordsOf(error) };
      else if (error instanceof Refused && error.status < 500 && error.status !== 429) return;
      else if (!(error instanceof Refused || error instanceof Offline) || Date.now() > ends) throw error;
      else await pause(LOOK_MS);
    }
  }
}
