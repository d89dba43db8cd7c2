import { createSecretKey } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authority, certificate, privateKey, suitesOffered } from "../../../http/testing-tls.ts";
import { sender } from "./send.ts";

const server = createServer({ cert: certificate, key: privateKey }, (_, response) => response.end("ok"));
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close().closeAllConnections());

/** Sends to this host, which resolves to the server of this test. */
async function send(host: string, { port = (server.address() as AddressInfo).port, trusted = [authority] } = {}) {
  const connect = sender({ mode: "on", ports: [port], resolve: async () => ["127.0.0.1"], userAgent: "test", now: Date.now, trusted });
  const { send: sendOne, close } = connect(`https://${host}:${port}/`, "streamer");
  const { attempt } = await sendOne({ id: "1", body: "{}", secrets: [createSecretKey(Buffer.alloc(32))] }).finally(close);
  return attempt;
}

test("an endpoint whose certificate is by an authority that this machine trusts gets the delivery", async () => {
  expect(await send("hooks.test")).toMatchObject({ status: 200, answer: "ok", error: null });
});

test("an endpoint whose certificate is by an unknown authority gets nothing", async () =>
  expect(await send("hooks.test", { trusted: [] })).toMatchObject({
    status: null,
    error: expect.stringMatching(/^The TLS certificate is not trusted/),
  }));

test("an endpoint whose certificate is for another host gets nothing", async () => {
  expect(await send("other.test")).toMatchObject({ status: null, error: "The TLS certificate is not for this host." });
});

test("an endpoint is offered no DHE, whose group it would choose: one of 10,000 bits keeps the event loop for 0.6 s", async () => {
  const { count, withDhe } = await suitesOffered((port) => send("hooks.test", { port }));
  expect(count).toBeGreaterThan(3);
  expect(withDhe).toEqual([]);
});
