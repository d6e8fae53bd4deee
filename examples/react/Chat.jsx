// A page with the AI SDK's `useChat`, for `@ai-sdk/react` 2, 3 and 4 (`ai` 5, 6 and 7), served behind the same origin as Leaf.
//
// A program's own server adds the header with the key; a key in a page can be read by everybody who sees the page.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { useEffect, useState } from "react";

const transport = new DefaultChatTransport({ api: "/api/chat" });

/** Opens a chat: its history is the server's, and what is being written is resumed. */
export default function Page({ id }) {
  const [history, setHistory] = useState(null);
  useEffect(() => {
    fetch(`/api/chats/${encodeURIComponent(id)}`)
      .then((answer) => (answer.ok ? answer.json() : { messages: [] }))
      .then((chat) => setHistory(chat.messages));
  }, [id]);
  return history === null ? <p>Loading…</p> : <Chat id={id} history={history} />;
}

function Chat({ id, history }) {
  const { messages, sendMessage, regenerate, status, error } = useChat({ id, messages: history, transport, resume: true });
  const [text, setText] = useState("");
  const writing = status === "submitted" || status === "streaming";
  // Closing the connection stops nothing: this does.
  const stop = () => fetch(`/api/chat/${encodeURIComponent(id)}/stop`, { method: "POST" });
  const send = (event) => {
    event.preventDefault();
    sendMessage({ text });
    setText("");
  };
  return (
    <main>
      {messages.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      {error && <p role="alert">{words(error)}</p>}
      <form onSubmit={send}>
        <input value={text} onChange={(event) => setText(event.target.value)} aria-label="Question" />
        <button disabled={writing || !text.trim()}>Send</button>
        {writing && <button type="button" onClick={stop}>Stop</button>}
        {!writing && messages.length > 0 && <button type="button" onClick={() => regenerate()}>Write it again</button>}
      </form>
    </main>
  );
}

function Message({ message }) {
  return (
    <section aria-label={message.role}>
      {message.parts.map((part, place) => {
        if (part.type === "text") return <p key={place}>{part.text}</p>;
        if (part.type === "reasoning") return <details key={place}><summary>Thinking</summary>{part.text}</details>;
        if (part.type.startsWith("tool-")) return <p key={place}>{part.type.slice(5)}: {part.state}</p>;
        return null;
      })}
      {message.metadata?.status === "stopped" && <p>Stopped.</p>}
    </section>
  );
}

/** A refusal is short JSON, which the AI SDK gives as the error's message. */
function words(error) {
  try {
    return JSON.parse(error.message).error.message;
  } catch {
    return error.message;
  }
}
