import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "koa";
import { expect, test } from "vitest";
import type { Principal } from "../operations.ts";
import { isExempt } from "./server-limits.ts";
import { openReceiving } from "./unfinished-bodies.ts";

const limits = { inAll: 10, perSender: 10, kept: { inAll: 100, perBody: 50 } };

/** A request whose body of so many bytes is still to come. */
function waiting(bytes: number | null) {
  const res = new EventEmitter();
  const headers = bytes === null ? {} : { "content-length": String(bytes) };
  return { ctx: { req: { complete: false, headers }, res, ip: "203.0.113.1" } as unknown as Context, answered: () => res.emit("close") };
}

const open = () => openReceiving(limits, (_, bytes) => bytes);
const never = () => new Promise<string>(() => {});
const arrived = async () => "arrived";

test("many small bodies are received at once, and large ones only while there is room for their bytes", async () => {
  const receive = open();
  const small = Array.from({ length: 20 }, () => waiting(1));
  for (const { ctx } of small) expect(await receive(ctx, null, arrived)).toBe("arrived");
  expect(await receive(waiting(50).ctx, null, arrived)).toBe("arrived");
  await expect(receive(waiting(50).ctx, null, arrived)).rejects.toMatchObject({ code: "unavailable" });
  for (const { answered } of small) answered();
  expect(await receive(waiting(50).ctx, null, arrived)).toBe("arrived");
});

test("a body that never ends gives its room to one that comes later, however it says how long it is", async () => {
  const receive = open();
  const first = receive(waiting(null).ctx, null, never);
  const second = receive(waiting(50).ctx, null, never);
  expect(await receive(waiting(50).ctx, null, arrived)).toBe("arrived");
  await expect(first).rejects.toMatchObject({ code: "request_timeout" });
  expect(await Promise.race([second, "waits"])).toBe("waits");
});

test("a body that says to be larger than any takes nobody's room", async () => {
  const receive = open();
  const [first, second] = [receive(waiting(50).ctx, null, never), receive(waiting(50).ctx, null, never)];
  await expect(receive(waiting(5_000).ctx, null, () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(await Promise.race([first, second, "wait"])).toBe("wait");
});

test("unfinished bodies of all credentials of a streamer are counted together, so that their number refuses no other streamer's", async () => {
  const receive = openReceiving({ inAll: 10, perSender: 2 }, (_, bytes) => bytes);
  const principal = (streamerId: string, id: string): Principal => ({
    streamerId,
    applicationId: "",
    scopes: [],
    credential: { kind: "access_token", id },
  });
  const other = receive(waiting(50).ctx, principal("other", "token"), never);
  const many = Array.from({ length: 10 }, (_, i) => receive(waiting(50).ctx, principal("one", `token ${i}`), never));
  const refused = many.slice(0, 8).map((body) => expect(body).rejects.toMatchObject({ code: "request_timeout" }));
  await Promise.all([...refused, expect(Promise.race([other, ...many.slice(8), sleep(10, "wait")])).resolves.toBe("wait")]);
});

test("a body with a time limit of its own is refused when it has passed, and not by the time-out of all requests", async () => {
  const receive = openReceiving({ ...limits, timeoutMs: 20 }, (_, bytes) => bytes);
  const { ctx } = waiting(50);
  expect(await receive(waiting(50).ctx, null, arrived)).toBe("arrived");
  const late = receive(ctx, null, never);
  expect(isExempt(ctx.req)).toBe(true);
  await expect(late).rejects.toMatchObject({ code: "request_timeout", message: expect.stringContaining("within 0.02 seconds") });
});

test("a body with a file may arrive slowly, and is refused when nothing of it arrives for too long", async () => {
  const receive = openReceiving({ ...limits, timeoutMs: 60_000, silenceMs: 200 }, (_, bytes) => bytes);
  const { ctx } = waiting(50);
  const socket = { bytesRead: 0 };
  Object.assign(ctx.req, { socket });
  const arriving = setInterval(() => (socket.bytesRead += 1), 5);
  const body = receive(ctx, null, never);
  expect(await Promise.race([body, sleep(600, "arrives")])).toBe("arrives");
  clearInterval(arriving);
  await expect(body).rejects.toMatchObject({ code: "request_timeout", message: expect.stringContaining("for 0.2 seconds") });
});
