// Splits the bytes of a stream into lines, however the bytes are cut into chunks. Pure, and its memory is one line.

/** The bytes of a line without its line feed; null: it was longer than allowed, and its bytes are gone. */
export type RawLine = Buffer | null;

export type LineSplitter = {
  /** The lines that these bytes complete, one after the other. Take them all before the next call. */
  push: (chunk: Buffer) => Generator<RawLine>;
  /** The last line, when it has no line feed. */
  end: () => Generator<RawLine>;
};

const lineFeed = 0x0a;
const noBytes = Buffer.alloc(0);

export function lineSplitter(maxBytes: number): LineSplitter {
  let parts: Buffer[] = [];
  let length = 0;
  const append = (part: Buffer): void => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (): RawLine => {
    if (length === 0) return noBytes;
    const line = length > maxBytes ? null : parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  return {
    *push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
        append(chunk.subarray(from, at));
        from = at + 1;
        yield take();
      }
      append(chunk.subarray(from));
    },
    *end() {
      if (length > 0) yield take();
    },
  };
}
