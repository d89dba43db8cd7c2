// Reads a body whole as bytes, which may be many: files.

import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import type { Operation } from "../contract/contract.ts";
import type { Principal } from "../operations.ts";
import { Problem } from "../problem.ts";
import type { Receive } from "../server/unfinished-bodies.ts";

/** Reads the body of an operation that takes a file. Throws unsupported_media_type, payload_too_large or what `receive` throws. */
export type ReadFile = (
  ctx: Context,
  operation: Pick<Operation, "bodyTypes" | "maxBodyBytes">,
  principal: Principal | null,
) => Promise<Buffer>;

export function fileReader(receive: Receive): ReadFile {
  return async (ctx, { bodyTypes, maxBodyBytes }, principal) => {
    refuseCompressed(ctx);
    const [type = ""] = (ctx.req.headers["content-type"] ?? "").split(";").map((part) => part.trim().toLowerCase());
    if (!(bodyTypes as readonly string[]).includes(type))
      throw new Problem("unsupported_media_type", `Content-Type must be one of ${bodyTypes.join(", ")}.`);
    return receive(ctx, principal, () => collectBody(ctx, maxBodyBytes ?? 0));
  };
}

const firstBytes = 65_536;

/**
 * Reads the body to its end. A declared length above `maxBytes` is refused before any of it is kept. Nothing is kept any more when the
 * request has been answered meanwhile, whoever goes on sending. Rejects with payload_too_large or malformed_request.
 */
export function collectBody({ req, res }: Pick<Context, "req" | "res">, maxBytes: number): Promise<Buffer> {
  const declared = declaredLength(req);
  if (isTooLong(req, maxBytes)) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    // One buffer that grows: a list of chunks would take a hundred times the room when each of them is a byte.
    let kept: Buffer = Buffer.allocUnsafeSlow(Math.min(declared ?? firstBytes, firstBytes));
    let size = 0;
    const end = (settle: () => void) => {
      req.off("data", keep);
      settle();
      kept = Buffer.alloc(0);
    };
    const keep = (chunk: Buffer) => {
      if (size + chunk.length > maxBytes) return end(() => reject(tooLarge(maxBytes)));
      if (size + chunk.length > kept.length)
        kept = grown(kept, Math.min(Math.max(kept.length * 2, size + chunk.length), declared ?? maxBytes));
      chunk.copy(kept, size);
      size += chunk.length;
    };
    const endedEarly = () => end(() => reject(new Problem("malformed_request", "The body ended early.")));
    req.on("data", keep);
    req.once("end", () => end(() => resolve(kept.subarray(0, size))));
    req.once("error", endedEarly);
    req.once("close", endedEarly);
    res.once("close", endedEarly);
  });
}

/** Whether the request declares a body of more bytes. */
export function isTooLong(request: IncomingMessage, maxBytes: number): boolean {
  return (declaredLength(request) ?? 0) > maxBytes;
}

/** Throws unsupported_media_type. */
export function refuseCompressed({ req }: Pick<Context, "req">): void {
  if (req.headers["content-encoding"] !== undefined)
    throw new Problem("unsupported_media_type", "The body must not be compressed: Content-Encoding is not supported.");
}

export function tooLarge(maxBytes: number, cause?: Error): Problem {
  return new Problem("payload_too_large", `The body is larger than ${maxBytes / 1024} KiB.`, { cause });
}

function grown(kept: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  kept.copy(larger);
  return larger;
}

/** Null: a body of chunks. node:http has refused a length that is no number. */
function declaredLength({ headers }: IncomingMessage): number | null {
  return headers["content-length"] === undefined ? null : Number(headers["content-length"]);
}
