// Serves HTML pages, which are not part of the API contract. Their handlers do not depend on Koa, and other sites cannot reach them: no
// frames, no scripts except files of this server where a page asks for them, no cross-origin reads.

import type { Readable } from "node:stream";
import type { Context, Middleware } from "koa";
import type { Site } from "../http/base-url.ts";
import { maxFields, type ReadBody, type ReadParts, tooManyFields } from "../http/body/body.ts";
import { storable } from "../http/body/json.ts";
import type { Operation } from "../http/contract/operation.ts";
import { encodePage } from "../http/files.ts";
import { callerOf } from "../http/guards.ts";
import { denyCrossOriginReads, type ProblemRenderer } from "../http/middleware.ts";
import type { Caller } from "../http/operations.ts";
import { methodNotAllowed, Problem, problems } from "../http/problem.ts";
import { html } from "./html.ts";
import { errorPage } from "./layout.ts";
import { stylesheetSource } from "./stylesheet.ts";

export type PageRequest = Readonly<{
  path: string;
  /** Text that can be stored, as that of forms. */
  query: URLSearchParams;
  /** The fields of a POST, none of them repeated; empty for other methods. */
  form: URLSearchParams;
  caller: Caller;
}>;

export type PageReply = Readonly<{
  status: number;
  html?: string;
  location?: string;
  /** Set-Cookie lines. */
  cookies?: readonly string[];
  /** Where forms of this page may redirect to besides this site, as CSP sources. */
  formAction?: readonly string[];
  /** Seconds. */
  retryAfter?: number;
  /** Seconds after which the browser loads the page again. */
  refresh?: number;
  /** Whether script files of this server run in this page and may send requests to it. */
  scripted?: boolean;
  /** Whether this page shows other pages of this server in frames. */
  frames?: boolean;
  /** Whether this page plays sounds of this server. */
  audio?: boolean;
  /** A script file, instead of a page. */
  javascript?: string;
  /** A file to be saved, instead of a page. */
  file?: FileReply;
}>;

/** A file that is made while it is sent. `type`: its media type. `headers`: its Content-Disposition. */
type FileReply = Readonly<{ type: string; headers: Readonly<Record<string, string>>; body: Readable }>;

export type PageHandler = ((request: PageRequest) => Promise<PageReply>) & {
  readonly takesFiles?: "small" | "large";
  readonly admit?: Admit;
};

/** Decides by the head of a request whether its form is read: resolves to the answer to a sender whose form is not, otherwise to null. */
export type Admit = (caller: Caller) => Promise<PageReply | null>;

/** A handler of forms that only some senders may send. */
export type GuardedHandler = PageHandler & { readonly admit: Admit };

/**
 * A handler of a form with files, which are read only when the sender is admitted. The form has the bytes of each in base64, and its name
 * under the field's name and " name".
 */
export function takingFiles(handler: GuardedHandler, takesFiles: "small" | "large" = "small"): PageHandler {
  return Object.assign((request: PageRequest) => handler(request), { takesFiles, admit: handler.admit } as const);
}

/** Keyed by method and path. */
export type PageRoutes = Readonly<Record<`${"GET" | "POST"} /${string}`, PageHandler>>;

/** Redirects to a page of this server or to an application, with GET (RFC 9110 15.4.4). */
export function seeOther(location: string, cookies: readonly string[] = []): PageReply {
  return { status: 303, location, cookies };
}

type FormReaders = Readonly<{
  readBody: ReadBody;
  readParts: ReadParts;
  /** For handlers that take large files. */
  readLargeParts: ReadParts;
}>;

/** Middleware that serves pages and passes other paths on. Throws Problems, which `pageRenderer` shows as pages. */
export function servePages(routes: PageRoutes, { readBody, readParts, readLargeParts }: FormReaders): Middleware {
  const handlers = new Map<string, PageHandler>(Object.entries(routes));
  const paths = new Set([...handlers.keys()].map((key) => key.slice(key.indexOf(" ") + 1)));
  const answer = async (ctx: Context) => {
    ctx.state.page = ctx.path;
    const handler = handlers.get(`${ctx.method === "HEAD" ? "GET" : ctx.method} ${ctx.path}`);
    if (!handler) throw notAllowed(ctx.path, handlers);
    const readPairs = async () => {
      const readFiles = handler.takesFiles === "large" ? readLargeParts : readParts;
      if (handler.takesFiles && ctx.is("multipart/form-data")) return pairsOf(await readFiles(ctx));
      return (await readBody(ctx, ["application/x-www-form-urlencoded"])) as URLSearchParams;
    };
    const refusal = handler.takesFiles ? await handler.admit?.(callerOf(ctx)) : null;
    if (refusal) return send(ctx, refusal);
    const form = ctx.method === "POST" ? readForm(await readPairs()) : new URLSearchParams();
    await send(ctx, await handler({ path: ctx.path, query: readQuery(ctx.querystring), form, caller: callerOf(ctx) }));
  };
  return (ctx, next) => {
    if (paths.has(ctx.path)) return answer(ctx);
    // A slash behind a page's address leads to the page. The location is relative, because a proxy may have taken a prefix from the path.
    const [, path = "", name = ""] = /^(.*\/([^/]+))\/$/.exec(ctx.path) ?? [];
    return ctx.method !== "POST" && handlers.has(`GET ${path}`) ? send(ctx, seeOther(`../${name}${ctx.search}`)) : next();
  };
}

/** The page for requests that are refused before they reach the application. */
export function unavailablePage(): { headers: Record<string, string>; html: string } {
  return { headers: pageHeaders(), html: errorPage(unavailable) };
}

type PageRights = Pick<PageReply, "scripted" | "frames" | "audio">;

/**
 * Headers of every page. `formAction`: CSP sources that a form's answer may redirect to, because Chromium applies form-action to
 * the redirect as well. `scripted`: script files of this server run. `frames`: the page shows other pages of this server in frames. `audio`: it
 * plays sounds of this server, or that its script has fetched.
 */
export function pageHeaders(
  formAction: readonly string[] = [],
  { scripted = false, frames = false, audio = false }: PageRights = {},
): Record<string, string> {
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      `style-src ${stylesheetSource}`,
      "img-src 'self' data:",
      "font-src 'self'",
      ...(frames ? ["frame-src 'self'"] : []),
      ...(audio ? ["media-src 'self' blob:"] : []),
      ...(scripted ? ["script-src 'self'", "connect-src 'self'"] : []),
      ["form-action 'self'", ...formAction].join(" "),
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join("; "),
    "X-Frame-Options": "DENY",
    // Not no-referrer: the Origin of our own form posts would then be `null` (Fetch standard, 3.2).
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    Vary: "Cookie, Accept-Language",
  };
}

/** Shows a Problem as an HTML page, on paths that people open in a browser. */
export function pageRenderer(site: Site): ProblemRenderer {
  return {
    applies: (ctx) => {
      const { page, operation } = ctx.state as { page?: string; operation?: Operation };
      return page !== undefined || operation?.id === "authorize";
    },
    render: (ctx, problem) => renderErrorPage(ctx, problem, site),
  };
}

function renderErrorPage(ctx: Context, problem: Problem, site: Site): void {
  const { status } = problems[problem.code];
  const { headers, errors } = problem.extras;
  const faults = errors?.map(({ parameter, pointer, message }) => `${parameter ?? pointer} ${message}`);
  // The title says it already, in the reader's language.
  const detail = problem.code === "route_not_found" ? null : (faults?.join("; ") ?? problem.message);
  denyCrossOriginReads(ctx);
  ctx.status = status;
  ctx.set({ ...pageHeaders(), ...(status === 503 && { "Retry-After": "1" }), ...headers });
  ctx.type = "text/html";
  ctx.body = errorPage({ ...errorTextFor(problem, site), ...(detail !== null && { detail }), requestId: ctx.state.requestId });
}

/** Not compressed where another site led here: from the lengths of many answers it could guess what a page has beside its query (BREACH). */
const isCompressed = (ctx: Context) => ["none", "same-origin"].includes(ctx.get("Sec-Fetch-Site"));

async function send(
  ctx: Context,
  { status, html, javascript, file, location, cookies = [], formAction, retryAfter, refresh, scripted, frames, audio }: PageReply,
): Promise<void> {
  denyCrossOriginReads(ctx);
  ctx.status = status;
  ctx.set(pageHeaders(formAction, { scripted, frames, audio }));
  if (cookies.length > 0) ctx.set("Set-Cookie", [...cookies]);
  if (location !== undefined) ctx.set("Location", location);
  if (retryAfter !== undefined) ctx.set("Retry-After", String(retryAfter));
  if (refresh !== undefined) ctx.set("Refresh", String(refresh));
  if (file !== undefined) {
    ctx.set(file.headers);
    ctx.type = file.type;
    ctx.body = file.body;
    return;
  }
  const text = html ?? javascript;
  if (text === undefined) return;
  ctx.type = html === undefined ? "text/javascript" : "text/html";
  ctx.body = isCompressed(ctx) ? await encodePage(ctx, text) : text;
}

/** An empty file field is sent as a file without a name. */
async function pairsOf(parts: FormData): Promise<[name: string, value: string][]> {
  const pairs: [string, string][] = [];
  for (const [name, value] of parts) {
    if (typeof value === "string") pairs.push([name, value]);
    else if (value.name !== "") pairs.push([name, Buffer.from(await value.arrayBuffer()).toString("base64")], [`${name} name`, value.name]);
  }
  return pairs;
}

function readForm(pairs: Iterable<[name: string, value: string]>): URLSearchParams {
  const form = new Map<string, string>(); // URLSearchParams looks through all of its pairs for a name
  for (const [name, value] of pairs) {
    if (form.has(name))
      throw new Problem("validation_failed", "A field was sent twice.", {
        errors: [{ parameter: storable(name), code: "repeated_parameter", message: "must not be repeated" }],
      });
    form.set(name, storable(value));
    if (form.size > maxFields) throw tooManyFields();
  }
  return new URLSearchParams([...form]);
}

/** An address may be typed by hand: a lookup of what it names must find nothing rather than fail. */
function readQuery(text: string): URLSearchParams {
  return new URLSearchParams([...new URLSearchParams(text)].map(([name, value]): [string, string] => [name, storable(value)]));
}

function notAllowed(path: string, handlers: ReadonlyMap<string, PageHandler>): Problem {
  const methods = ["GET", "POST"].filter((method) => handlers.has(`${method} ${path}`));
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return methodNotAllowed(path, allow);
}

type ErrorText = Pick<Parameters<typeof errorPage>[0], "title" | "advice">;

function errorTextFor({ code, extras }: Problem, site: Site): ErrorText {
  const { status } = problems[code];
  if (status === 404) return notFound(site);
  if (status === 413) return tooLarge;
  if (status === 429) return rateLimited(extras.headers?.["Retry-After"]);
  if (status === 503) return unavailable;
  return status >= 500 ? serverError : clientError;
}

const clientError: ErrorText = {
  title: { th: "คำขอนี้ใช้ไม่ได้", en: "Something is wrong with this request" },
  advice: { th: "กลับไปที่แอปหรือหน้าก่อนหน้า แล้วลองใหม่อีกครั้ง", en: "Go back to the application or the previous page and try again." },
};
const notFound = ({ path }: Site): ErrorText => ({
  title: { th: "ไม่พบหน้านี้", en: "Page not found" },
  advice: {
    th: html`ตรวจสอบที่อยู่ หรือเปิด<a href="${path("/studio")}">สตูดิโอ</a> หรือ<a href="${path("/docs/")}">คู่มือ</a>`,
    en: html`Check the address, or open the <a href="${path("/studio")}">studio</a> or the <a href="${path("/docs/")}">docs</a>.`,
  },
});
const tooLarge: ErrorText = {
  title: { th: "ไฟล์ใหญ่เกินไป", en: "This is too large" },
  advice: {
    th: "กลับไปหน้าก่อนหน้า แล้วเลือกไฟล์ที่เล็กกว่านี้",
    en: "Go back to the previous page and choose a smaller file. The page says how large it may be.",
  },
};
const rateLimited = (seconds: string | undefined): ErrorText => ({
  title: { th: "มีคำขอมากเกินไป", en: "Too many requests" },
  advice:
    seconds === undefined
      ? { th: "รอสักครู่ แล้วลองใหม่อีกครั้ง", en: "Please wait a moment, then try again." }
      : { th: `ลองใหม่อีกครั้งใน ${seconds} วินาที`, en: `Please try again in ${seconds} s.` },
});
const unavailable: ErrorText = {
  title: { th: "ระบบไม่พร้อมให้บริการชั่วคราว", en: "Temporarily unavailable" },
  advice: { th: "รอสักครู่ แล้วโหลดหน้านี้ใหม่", en: "Please wait a moment, then reload this page." },
};
const serverError: ErrorText = {
  title: { th: "เกิดข้อผิดพลาดฝั่งเรา", en: "Something went wrong on our side" },
  advice: { th: "ลองใหม่อีกครั้งในอีกสักครู่", en: "Please try again in a moment." },
};
