// Reads a stream of server-sent events (HTML standard, 9.2.6) from its bytes. `id` and `retry` are not used here.

export type ServerEvent = Readonly<{ event: string; data: string }>;

/** Far above the length of any event that the server sends. */
const maxEventLength = 4 * 1024 * 1024;

/** Returns a function that takes the stream chunk by chunk, and throws when an event is too long. */
export function sseReader(onEvent: (event: ServerEvent) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder(); // drops a BOM, keeps the bytes of a character that is not complete
  let buffer = "";
  let event = "";
  let data: string[] = [];
  let size = 0;

  const dispatch = () => {
    if (data.length > 0) onEvent({ event: event || "message", data: data.join("\n") });
    event = "";
    data = [];
    size = 0;
  };
  const readLine = (line: string) => {
    if (line === "") return dispatch();
    const [field, value] = splitField(line);
    if (field === "event") event = value;
    if (field !== "data") return;
    data.push(value);
    size += value.length;
  };

  return (chunk) => {
    buffer += decoder.decode(chunk, { stream: true });
    // A CR at the end may be half of a CRLF: it waits for the next chunk.
    for (let end: RegExpExecArray | null; (end = /\r\n|\n|\r(?!$)/.exec(buffer)); ) {
      const line = buffer.slice(0, end.index);
      buffer = buffer.slice(end.index + end[0].length);
      readLine(line);
    }
    if (buffer.length + size > maxEventLength) throw new Error("an event is too long");
  };
}

/** A line that begins with a colon is a comment: its field name is empty. */
function splitField(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon === -1) return [line, ""];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(" ") ? value.slice(1) : value];
}
