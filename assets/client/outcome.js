// The outcome of a sign-in or a connection, which the server puts into the address of the page to which it returns.
import { useEffect, useState } from "react";

/**
 * The code of a problem in the address, or an empty text; calls `onConnected(provider)` for a connection. Both are read once
 * and removed from the address, so that a reload does not show them again.
 */
export function useOutcome(onConnected) {
  const [code, setCode] = useState("");
  useEffect(() => {
    const address = new URL(window.location.href);
    const found = address.searchParams.get("problem");
    const provider = address.searchParams.get("connected");
    if (found === null && provider === null) return;
    address.searchParams.delete("problem");
    address.searchParams.delete("connected");
    window.history.replaceState(window.history.state, "", address.pathname + address.search + address.hash);
    if (found) setCode(found);
    if (provider) onConnected?.(provider);
  }, []);
  return code;
}
