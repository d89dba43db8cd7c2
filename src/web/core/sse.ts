// Reads a stream of server-sent events (HTML standard, 9.2.6) from its bytes. `id` and `retry` are not used here.

export type ServerEvent = Readonly<{ event: string; data: string }>;

/** What one event may hold: far above anything the server says. */
const longest = 4 * 1024 * 1024;

/** Takes the stream chunk by chunk. The returned function throws when an event is too long. */
export function sseReader(onEvent: (event: ServerEvent) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder(); // drops a BOM, keeps the bytes of a character that is not complete
  let rest = "";
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
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the end may be half of a CRLF: it waits for the next chunk.
    for (let end: RegExpExecArray | null; (end = /\r\n|\n|\r(?!$)/.exec(rest)); ) {
      const line = rest.slice(0, end.index);
      rest = rest.slice(end.index + end[0].length);
      readLine(line);
    }
    if (rest.length + size > longest) throw new Error("an event is too long");
  };
}

/** A line that begins with a colon is a comment: its field has no name. */
function splitField(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon === -1) return [line, ""];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(" ") ? value.slice(1) : value];
}
