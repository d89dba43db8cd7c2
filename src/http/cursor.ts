// Cursors: opaque to the caller, signed so that they can't be forged, bound to one streamer and one list.

import { createHmac, timingSafeEqual } from "node:crypto";
import { Problem } from "./problem.ts";

export type CursorCodec = {
  /** `subject` names what the cursor is for: the streamer and the operation. `content` must be JSON. */
  seal: (subject: string, content: unknown) => string;
  /** Throws invalid_cursor for anything that `seal` did not make for this subject. */
  open: (subject: string, cursor: string) => unknown;
};

const macBytes = 16;

/** `key` is the same in every process, 32 random bytes. */
export function cursorCodec(key: Buffer): CursorCodec {
  const sign = (subject: string, content: string) =>
    createHmac("sha256", key).update(`${subject}\n${content}`).digest().subarray(0, macBytes);
  return {
    seal: (subject, content) => {
      const text = JSON.stringify(content);
      return Buffer.concat([sign(subject, text), Buffer.from(text)]).toString("base64url");
    },
    open: (subject, cursor) => {
      const bytes = Buffer.from(cursor, "base64url");
      const text = bytes.subarray(macBytes).toString();
      const genuine = bytes.toString("base64url") === cursor && bytes.length > macBytes;
      if (!genuine || !timingSafeEqual(bytes.subarray(0, macBytes), sign(subject, text))) throw notOurs();
      return JSON.parse(text);
    },
  };
}

function notOurs(): Problem {
  return new Problem("invalid_cursor", "This cursor was not made for this list.", {
    errors: [{ parameter: "cursor", code: "invalid_format", message: "must be a nextCursor of this list" }],
  });
}
