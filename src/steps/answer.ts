// What surrounds a request: its log line, the headers of its answer, pages and files that it passes by.

import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import Koa, { type Context, type Middleware } from "koa";
import { pino } from "pino";
import type { Config } from "../config.ts";
import { docsSite } from "../docs/docs-files.ts";
import { commonHeaders, requestLines } from "../http/answers.ts";
import { elsewhere } from "../http/skip-prefix.ts";
import { serveFiles } from "../http/files.ts";
import { health } from "../http/health.ts";
import { fontFiles } from "../ui/fonts.ts";
import { servePages } from "../ui/serve-pages.ts";
import { logOptions } from "../process/log.ts";
import { paths } from "../studio/paths.ts";
import { webSite } from "../web/overlay-files.ts";
import { often, type Step } from "./compare.ts";

const requestId = "01990000-0000-7000-8000-000000000000";

export function answerSteps(config: Config): Step[] {
  return [line(), headers(), passing(config)];
}

function line(): Step {
  const log = pino(logOptions("info"), { write: () => {} });
  const lines = requestLines(log);
  const said = { requestId, method: "POST", path: "/api/v1/donations", operation: "createDonation", status: 201, ms: 1.2 };
  return {
    name: "log line of a request",
    before: { how: "looked through for secrets", repeat: often(() => log.info(said)) },
    now: { how: "its members are known", repeat: often(() => lines.info(said)) },
  };
}

/** Those of every answer. */
function headers(): Step {
  const ctx = someContext();
  const common = Object.fromEntries(commonHeaders);
  const withKoa = () => {
    ctx.set("X-Request-Id", requestId);
    ctx.set(common);
    ctx.type = "application/json";
  };
  const withNode = () => {
    ctx.res.setHeader("X-Request-Id", requestId);
    ctx.res.setHeaders(commonHeaders);
    ctx.res.setHeader("Content-Type", "application/json; charset=utf-8");
  };
  return {
    name: "headers of an answer",
    before: { how: "ctx.set, ctx.type", repeat: often(withKoa) },
    now: { how: "res.setHeader(s)", repeat: often(withNode) },
  };
}

/** All that stands before the API in the application. */
function passing(config: Config): Step {
  const page = async () => ({ status: 200 });
  const pages = servePages(Object.fromEntries(Object.values(paths).map((path) => [`GET ${path}`, page])), async () => undefined);
  const files = [webSite(config), docsSite(config), fontFiles()].map(serveFiles);
  const all: Middleware[] = [health(async () => null), pages, ...files];
  const [inTurn, atOnce] = [elsewhere("/nowhere/", all), elsewhere("/api/", all)];
  const ctx = someContext();
  const passed = Promise.resolve();
  const next = () => passed;
  return {
    name: "passing by pages and files",
    before: { how: "each in turn", repeat: often(() => inTurn(ctx, next)) },
    now: { how: "http/elsewhere.ts", repeat: often(() => atOnce(ctx, next)) },
  };
}

/** Of a request that creates a donation, as Koa makes it. */
function someContext(): Context {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: "POST", url: "/api/v1/donations" });
  return new Koa().createContext(request, new ServerResponse(request));
}
