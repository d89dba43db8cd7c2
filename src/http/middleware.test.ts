import type { Context, Middleware } from "koa";
import { expect, test } from "vitest";
import { skipPrefix } from "./middleware.ts";

async function passed(path: string): Promise<string[]> {
  const seen: string[] = [];
  const noting =
    (name: string): Middleware =>
    (_, next) => {
      seen.push(name);
      return next();
    };
  const last: Middleware = (ctx, next) => (ctx.path === "/page" ? void seen.push("page") : next());
  await skipPrefix("/api/", [noting("first"), noting("second"), last])({ path } as Context, async () => void seen.push("next"));
  return seen;
}

test("middleware runs in turn until one answers, and paths with the prefix skip all of it", async () => {
  expect(await passed("/other")).toEqual(["first", "second", "next"]);
  expect(await passed("/api/v1/me")).toEqual(["next"]);
  expect(await passed("/apis")).toEqual(["first", "second", "next"]);
  expect(await passed("/page")).toEqual(["first", "second", "page"]);
});
