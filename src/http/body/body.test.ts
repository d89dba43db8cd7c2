import { once } from "node:events";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { expect, onTestFinished, test } from "vitest";
import { bodyReader } from "./body.ts";

const count = 6;

/** The address of a server that answers so. */
async function serve(answer: (ctx: Koa.Context) => Promise<void>): Promise<string> {
  const server = new Koa().use(answer).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test.each(["[]", '["client_id"]', "null", "5", '"client_id"'])("JSON of OAuth that is no object is refused as such: %s", async (body) => {
  const { readPairs } = bodyReader((_ctx, _principal, read) => read());
  const url = await serve(async (ctx) => {
    ctx.body = await readPairs(ctx, ["application/json"]).catch(({ code, message }) => ({ code, message }));
  });
  const reply = await fetch(url, { method: "POST", body, headers: { "Content-Type": "application/json" } });
  expect(await reply.json()).toEqual({ code: "validation_failed", message: "The body must be a JSON object." });
});

test("a form of OAuth with more than a thousand fields is refused before they are parsed: 32,000 would take 0.03 s", async () => {
  const { readPairs } = bodyReader((_ctx, _principal, read) => read());
  const url = await serve(async (ctx) => {
    ctx.body = await readPairs(ctx, ["application/x-www-form-urlencoded"]).catch(({ code }) => ({ code }));
  });
  const post = async (body: string) =>
    (await fetch(url, { method: "POST", body, headers: { "Content-Type": "application/x-www-form-urlencoded" } })).json();
  expect(await post(`a${"&a".repeat(999)}`)).toHaveLength(1_000);
  for (const body of [`a${"&a".repeat(1_000)}`, "&".repeat(1_000)]) expect(await post(body)).toEqual({ code: "malformed_request" });
});

test("forms with files that have arrived together are parsed one in a turn of the event loop: one of 9 MiB takes it 0.05 s", async () => {
  let arrived = 0;
  const all = Promise.withResolvers<void>();
  const { readParts } = bodyReader(async (_ctx, _principal, read) => {
    const body = await read();
    arrived += 1;
    if (arrived === count) all.resolve();
    await all.promise;
    return body;
  }, 1_048_576);
  let turn = 0;
  const turns: number[] = [];
  const countTurn = () => {
    turn += 1;
    if (turns.length < count) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const url = await serve(async (ctx) => {
    const parts = await readParts(ctx);
    turns.push(turn);
    ctx.body = parts.get("a");
  });
  const send = async (_: unknown, index: number) => {
    const body = new FormData();
    body.set("a", `${index}`);
    return (await fetch(url, { method: "POST", body })).text();
  };
  expect(await Promise.all(Array.from({ length: count }, send))).toEqual(["0", "1", "2", "3", "4", "5"]);
  expect(new Set(turns).size).toBe(count);
});
