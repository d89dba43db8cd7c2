// Cursors: opaque to clients, signed so that they cannot be forged, and valid for one streamer and one list only.

import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { Problem } from "./problem.ts";

export type CursorCodec = {
  /** `subject` names the streamer and the operation of the cursor. `content` must be JSON. */
  seal: (subject: string, content: unknown) => string;
  /**
   * Returns the content. Throws invalid_cursor, which names the parameter, for anything that `seal` did not return for this subject.
   */
  open: (subject: string, cursor: string, parameter?: string) => unknown;
};

const macBytes = 16;

/** `key`: 32 random bytes, the same in every process. */
export function cursorCodec(key: Buffer): CursorCodec {
  const secret = createSecretKey(key); // made from a Buffer at each use, it would cost three times as much as the rest of the signature
  const sign = (subject: string, content: string) =>
    createHmac("sha256", secret).update(`${subject}\n${content}`).digest().subarray(0, macBytes);
  return {
    seal: (subject, content) => {
      const text = JSON.stringify(content);
      return Buffer.concat([sign(subject, text), Buffer.from(text)]).toString("base64url");
    },
    open: (subject, cursor, parameter = "cursor") => {
      const bytes = Buffer.from(cursor, "base64url");
      const text = bytes.subarray(macBytes).toString();
      const genuine = bytes.toString("base64url") === cursor && bytes.length > macBytes;
      if (!genuine || !timingSafeEqual(bytes.subarray(0, macBytes), sign(subject, text))) throw invalidCursor(parameter);
      return JSON.parse(text);
    },
  };
}

/** The content of what `seal` returned for this subject; null for anything else. */
export function openOrNull(codec: CursorCodec, subject: string, sealed: string): unknown {
  try {
    return codec.open(subject, sealed);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

function invalidCursor(parameter: string): Problem {
  return new Problem("invalid_cursor", "This cursor was not made for this list.", {
    errors: [{ parameter, code: "invalid_format", message: "must be a nextCursor of this list" }],
  });
}
