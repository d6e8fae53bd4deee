"""Asks Leaf and prints the answer while it is written; goes on where the connection breaks. Needs httpx.

LEAF_URL=http://localhost:3000 LEAF_KEY=leaf_key_… python examples/ask.py "What does the rent cost?"
"""

import json
import os
import sys
import time
import uuid

import httpx

ATTEMPTS = 5


class Answer:
    """An answer as far as it has come."""

    def __init__(self) -> None:
        self.run_id = ""
        self.next = 0
        """The index of the next chunk."""
        self.over = False

    def read(self, response: httpx.Response) -> None:
        """Prints the text in a response's chunks."""
        response.raise_for_status()
        self.run_id = response.headers["x-workflow-run-id"]
        for line in response.iter_lines():
            if not line:
                continue
            chunk = json.loads(line)
            self.next += 1
            if chunk["type"] == "text-delta":
                print(chunk["delta"], end="", flush=True)
            elif chunk["type"] == "error":
                print(chunk["errorText"], file=sys.stderr)
            self.over = chunk["type"] == "finish"


def main(question: str) -> None:
    headers = {"authorization": f"Bearer {os.environ['LEAF_KEY']}", "accept": "application/x-ndjson"}
    answer = Answer()
    with httpx.Client(base_url=os.environ["LEAF_URL"], headers=headers, timeout=60) as leaf:
        # With the key the question is asked once, however often it is sent.
        once = {"idempotency-key": str(uuid.uuid4())}
        for attempt in range(ATTEMPTS):
            try:
                if answer.run_id:
                    request = leaf.stream("GET", f"/api/runs/{answer.run_id}", params={"startIndex": answer.next})
                else:
                    request = leaf.stream("POST", "/api/chat", json={"content": question}, headers=once)
                with request as response:
                    if response.is_error:
                        response.read()
                        sys.exit(response.json()["error"]["message"])
                    answer.read(response)
            except httpx.TransportError:
                time.sleep(2**attempt)
            if answer.over:
                print()
                return
    sys.exit("The connection broke too often. The answer is in its chat.")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "What can you do?")
