// Serves static files: scripts, style sheets, fonts, and pages that are the same for everybody. They are in memory, except large ones, which
// are read when they are first requested.

import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context, Middleware } from "koa";
import { denyCrossOriginReads } from "./middleware.ts";
import { methodNotAllowed } from "./problem.ts";

export type StaticFile = StaticContent | LargeContent | Redirect;

/** `isMadeForRequest`: the content of a page that depends on the query. It is not kept, and compressed quickly. */
type StaticContent = Properties & Readonly<{ body: Buffer; isMadeForRequest?: true }>;

/** Only the requested encodings of it are kept in memory. */
type LargeContent = Properties &
  Readonly<{
    load: () => Promise<Buffer>;
    /** In bytes. */
    size: number;
  }>;

type Properties = Readonly<{
  type: string;
  /** `immutable`: the path changes with the content. `revalidate`: a cache must check each time whether the file has changed. */
  cache: "immutable" | "revalidate";
  headers?: Readonly<Record<string, string>>;
  /** Request headers that the file depends on, such as `Cookie, Accept-Language`. */
  vary?: string;
  /** 404 for the page that is shown for an unknown path. */
  status?: 404;
}>;

type Redirect = Readonly<{
  /** Another path. */
  location: string;
  /** 303 instead of 308. */
  isTemporary?: true;
}>;

/**
 * Finds the file of a path; undefined when there is none. It returns the same object each time, which is the key of a cache, except for
 * pages that depend on `query`, the text after the question mark.
 */
export type FindFile = (path: string, query?: string) => StaticFile | undefined;

const caching = { immutable: "public, max-age=31536000, immutable", revalidate: "no-cache" };

/** Serves the files that `find` knows, and passes other paths to the next middleware. */
export function serveFiles(find: FindFile): Middleware {
  const open = cacheOpened();
  return (ctx, next) => {
    const file = find(ctx.path, ctx.querystring);
    return file ? serve(ctx, file, open) : next();
  };
}

/**
 * Serves files whose `find` is opened at the first request for a path that `concerns` them: a start does not wait for what makes them, and
 * a server that nobody asks for them never loads it.
 */
export function serveFilesLater(concerns: (path: string) => boolean, open: () => Promise<FindFile>): Middleware {
  let opening: Promise<Middleware> | null = null;
  const openOnce = () =>
    (opening ??= open()
      .then(serveFiles)
      .catch((error: unknown) => {
        opening = null; // the next request opens them again
        throw error;
      }));
  return async (ctx, next) => (concerns(ctx.path) ? (await openOnce())(ctx, next) : next());
}

async function serve(ctx: Context, file: StaticFile, open: OpenFile): Promise<void> {
  // The path of an unknown page is not logged, because it can contain anything.
  ctx.state.page = "status" in file ? "(no such page)" : ctx.path;
  ctx.state.isFile = true;
  if (ctx.method !== "GET" && ctx.method !== "HEAD") throw methodNotAllowed(ctx.path, "GET, HEAD");
  denyCrossOriginReads(ctx);
  if ("location" in file) redirect(ctx, file);
  else await send(ctx, file, open);
}

/** A browser keeps the fragment of the address, so a key in it is not lost. */
function redirect(ctx: Context, { location, isTemporary }: Redirect): void {
  ctx.status = isTemporary ? 303 : 308;
  ctx.set("Location", location + ctx.search);
  ctx.body = "";
  ctx.remove("Content-Type");
}

async function send(ctx: Context, file: StaticContent | LargeContent, open: OpenFile): Promise<void> {
  const isMadeForRequest = "isMadeForRequest" in file;
  const encoding = chooseEncoding(ctx, { type: file.type, size: "body" in file ? file.body.length : file.size, isMadeForRequest });
  const { tag, body } = await (isMadeForRequest ? openFile(file, encoding) : open(file, encoding));
  ctx.status = file.status ?? 200;
  ctx.set({ "Cache-Control": caching[file.cache], ETag: tag, ...file.headers });
  if (file.vary) ctx.vary(file.vary);
  if (encoding !== "identity") ctx.set("Content-Encoding", encoding);
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = file.type;
  ctx.body = body;
}

type Opened = Readonly<{ tag: string; body: Buffer }>;
type OpenFile = (file: StaticContent | LargeContent, encoding: Encoding) => Promise<Opened>;

/** Files are compressed, and large ones read, once for each encoding. After a failure the next request tries again. */
function cacheOpened(): OpenFile {
  const files = new WeakMap<object, Map<Encoding, Promise<Opened>>>();
  return (file, encoding) => {
    const key = "body" in file ? file.body : file;
    const encodings = files.get(key) ?? new Map<Encoding, Promise<Opened>>();
    files.set(key, encodings);
    const opened = encodings.get(encoding) ?? openFile(file, encoding);
    encodings.set(encoding, opened);
    opened.catch(() => encodings.delete(encoding));
    return opened;
  };
}

async function openFile(file: StaticContent | LargeContent, encoding: Encoding): Promise<Opened> {
  const level = "isMadeForRequest" in file ? constants.Z_BEST_SPEED : undefined;
  const body = await compress("body" in file ? file.body : await file.load(), encoding, level);
  return { tag: `"${hash("sha256", body, "base64url").slice(0, 22)}"`, body };
}

type Encoding = "br" | "gzip" | "identity";

/** A quality above 9 takes ten times as long and saves a few percent. */
const brotliQuality = 9;
/** Smaller files are not compressed: the header would cost as much as is saved. */
const minCompressedBytes = 1024;
const encodings = ["br", "gzip"] as const;
const quickEncodings = ["gzip"] as const;
const text = /^(text\/|image\/svg|application\/json)/;

type Compressible = Readonly<{
  type: string;
  size: number;
  /** For content that is compressed again for each request: the thread pool that compresses also hashes passwords. */
  isMadeForRequest: boolean;
}>;

/** The best encoding for this client. Sets Vary, because another client may get another one. */
function chooseEncoding(ctx: Context, { type, size, isMadeForRequest }: Compressible): Encoding {
  if (!text.test(type) || size < minCompressedBytes) return "identity";
  ctx.vary("Accept-Encoding");
  return (isMadeForRequest ? quickEncodings : encodings).find((encoding) => ctx.acceptsEncodings(encoding) === encoding) ?? "identity";
}

/** The text of a page, encoded for this client. */
export async function encodePage(ctx: Context, text: string): Promise<string | Buffer> {
  const encoding = chooseEncoding(ctx, { type: "text/html", size: text.length, isMadeForRequest: true });
  if (encoding === "identity") return text;
  ctx.set("Content-Encoding", encoding);
  return compress(Buffer.from(text), encoding, constants.Z_BEST_SPEED);
}

/** `level`: of gzip. */
function compress(body: Buffer, encoding: Encoding, level: number = constants.Z_DEFAULT_COMPRESSION): Promise<Buffer> {
  if (encoding === "br") return brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } });
  return encoding === "gzip" ? zip(body, { level }) : Promise.resolve(body);
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
