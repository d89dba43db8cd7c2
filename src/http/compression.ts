// Fixed files in the encoding that a client takes: each is compressed once, when it is first asked for.

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context } from "koa";

export type Encoding = "br" | "gzip" | "identity";

/** Higher than 9 takes Brotli ten times as long for a few percent. */
const brotliQuality = 9;
/** Below this the header costs as much as is won. */
const worthwhile = 1024;
const text = /^(text\/|image\/svg|application\/json)/;

/** The best encoding for this client. Sets Vary, because another client may get another one. */
export function chooseEncoding(ctx: Context, { type, size }: { type: string; size: number }): Encoding {
  if (!text.test(type) || size < worthwhile) return "identity";
  ctx.vary("Accept-Encoding");
  return (["br", "gzip"] as const).find((encoding) => ctx.acceptsEncodings(encoding) === encoding) ?? "identity";
}

export function compress(body: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === "br") return brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } });
  return encoding === "gzip" ? zip(body) : Promise.resolve(body);
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
