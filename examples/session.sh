#!/bin/sh
# A session with curl: LEAF_URL=http://localhost:3000 LEAF_KEY=leaf_key_… sh examples/session.sh "What does the rent cost?"
set -eu

question=${1:-What can you do?}
chat="curl-$(date +%s)-$$"

leaf() {
  path=$1
  shift
  curl --silent --show-error --fail-with-body --no-buffer -H "Authorization: Bearer $LEAF_KEY" "$@" "$LEAF_URL$path"
}

# What a JSON string has in place of a text.
json() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g' | awk '{ printf "%s%s", sep, $0; sep = "\\n" }'; }

# Ask. Each line is one chunk of the answer; the text is in `text-delta`.
leaf /api/chat -H 'Content-Type: application/json' -H 'Accept: application/x-ndjson' \
  -H "Idempotency-Key: $chat" -d "{\"id\": \"$chat\", \"content\": \"$(json "$question")\"}"

# Read what is being written, or has just ended, from its beginning; the status is 204 where there is neither.
leaf "/api/chat/$chat/stream" -o /dev/null -w 'stream: %{http_code}\n'

# The whole chat, as Markdown.
leaf "/api/chats/$chat/export.md"
