// Files that are being sent: each is in memory once, however many clients read it, and all of them together are bounded.

import { Readable } from "node:stream";

type Stored<Mime> = Readonly<{ mime: Mime; bytes: Buffer }>;

/** `body`: destroy it when it is not read to its end. */
export type SentFile<Mime> = Readonly<{ mime: Mime; size: number; body: Readable }>;

/** `readers`: those that wait for the file, and those that it is sent to. `size`: 0 until it is sent. */
type OpenFile<Mime> = { stored: Promise<Stored<Mime> | null>; openedAt: number; readers: number; size: number };

type ReadFile<Mime> = (id: string) => Promise<Stored<Mime> | null>;

/** Later readers ask the database anew, which no longer has a file that was removed. */
const sharedMs = 10_000;

/** A client that reads slowly keeps one of these, beside its share in the file. */
const chunkBytes = 65_536;

/**
 * Returns the function that opens a file; null for an unknown one. When the files that are being sent have more than `maxBytes`, the answers
 * that began first are ended: those are the slow ones.
 */
export function sharedFiles<Mime>(read: ReadFile<Mime>, maxBytes: number): (id: string) => Promise<SentFile<Mime> | null> {
  const files = new Map<string, OpenFile<Mime>>();
  const sending = new Map<Readable, () => void>(); // in the order in which they began, with what ends the use of their file
  let bytes = 0;

  const enter = (id: string): OpenFile<Mime> => {
    const now = performance.now();
    const open = files.get(id);
    const file = open && now - open.openedAt < sharedMs ? open : { stored: read(id), openedAt: now, readers: 0, size: 0 };
    files.set(id, file);
    file.readers += 1;
    return file;
  };
  const leave = (id: string, file: OpenFile<Mime>) => {
    file.readers -= 1;
    if (file.readers > 0) return;
    if (files.get(id) === file) files.delete(id);
    bytes -= file.size;
  };
  const makeRoom = (newest: Readable) => {
    for (const [body, end] of sending) {
      if (bytes <= maxBytes || body === newest) return;
      end();
      body.destroy();
    }
  };
  const send = (id: string, file: OpenFile<Mime>, { mime, bytes: content }: Stored<Mime>): SentFile<Mime> => {
    if (file.size === 0) bytes += content.length;
    file.size = content.length;
    const body = Readable.from(chunksOf(content), { highWaterMark: 1 });
    const end = () => void (sending.delete(body) && leave(id, file));
    sending.set(body, end);
    body.once("close", end);
    makeRoom(body);
    return { mime, size: content.length, body };
  };

  return async (id) => {
    const file = enter(id);
    const stored = await file.stored.catch((error: unknown) => {
      leave(id, file);
      throw error;
    });
    if (stored) return send(id, file, stored);
    leave(id, file);
    return null;
  };
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes);
}
