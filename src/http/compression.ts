// Chooses the encoding of a static file for a client, and compresses it.

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context } from "koa";

export type Encoding = "br" | "gzip" | "identity";

/** A quality above 9 takes ten times as long and saves a few percent. */
const brotliQuality = 9;
/** Smaller files are not compressed: the header would cost as much as is saved. */
const minCompressedBytes = 1024;
const encodings = ["br", "gzip"] as const;
const quickEncodings = ["gzip"] as const;
const text = /^(text\/|image\/svg|application\/json)/;

export type Compressible = Readonly<{
  type: string;
  size: number;
  /** For content that is compressed again for each request: the thread pool that compresses also hashes passwords. */
  isMadeForRequest: boolean;
}>;

/** The best encoding for this client. Sets Vary, because another client may get another one. */
export function chooseEncoding(ctx: Context, { type, size, isMadeForRequest }: Compressible): Encoding {
  if (!text.test(type) || size < minCompressedBytes) return "identity";
  ctx.vary("Accept-Encoding");
  return (isMadeForRequest ? quickEncodings : encodings).find((encoding) => ctx.acceptsEncodings(encoding) === encoding) ?? "identity";
}

/** `level`: of gzip. */
export function compress(body: Buffer, encoding: Encoding, level: number = constants.Z_DEFAULT_COMPRESSION): Promise<Buffer> {
  if (encoding === "br") return brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } });
  return encoding === "gzip" ? zip(body, { level }) : Promise.resolve(body);
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
