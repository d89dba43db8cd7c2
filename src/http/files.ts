// Fixed files that lie in memory: scripts, style sheets, fonts, and pages that are the same for everybody.

import { hash } from "node:crypto";
import type { Context, Middleware } from "koa";
import { Problem } from "./problem.ts";

export type StaticFile = StaticContent | Readonly<{ /** Another path, for good. */ location: string }>;

type StaticContent = Readonly<{
  type: string;
  body: Buffer;
  /** `immutable`: the path changes with the content. `revalidate`: a cache asks each time whether it has changed. */
  cache: "immutable" | "revalidate";
  headers?: Readonly<Record<string, string>>;
}>;

/** The file of a path; undefined when there is none. */
export type FindFile = (path: string) => StaticFile | undefined;

const caching = { immutable: "public, max-age=31536000, immutable", revalidate: "no-cache" };

/** Serves files; other paths are for whoever comes next. */
export function serveFiles(find: FindFile): Middleware {
  const tags = new WeakMap<Buffer, string>();
  const tagOf = (body: Buffer): string => {
    const tag = tags.get(body) ?? `"${hash("sha256", body, "base64url").slice(0, 22)}"`;
    tags.set(body, tag);
    return tag;
  };
  return (ctx, next) => {
    const file = find(ctx.path);
    if (!file) return next();
    ctx.state.page = ctx.path;
    if (ctx.method !== "GET" && ctx.method !== "HEAD")
      throw new Problem("method_not_allowed", `${ctx.path} takes GET, HEAD.`, { headers: { Allow: "GET, HEAD" } });
    ctx.remove("Access-Control-Allow-Origin");
    ctx.remove("Access-Control-Expose-Headers");
    if ("location" in file) redirect(ctx, file.location);
    else send(ctx, file, tagOf(file.body));
  };
}

/** A browser keeps the fragment, so a key in it is not lost. */
function redirect(ctx: Context, location: string): void {
  ctx.status = 308;
  ctx.set("Location", location + (ctx.search ?? ""));
  ctx.body = "";
  ctx.remove("Content-Type");
}

function send(ctx: Context, { type, body, cache, headers }: StaticContent, tag: string): void {
  ctx.status = 200;
  ctx.set({ "Cache-Control": caching[cache], ETag: tag, ...headers });
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = type;
  ctx.body = body;
}
