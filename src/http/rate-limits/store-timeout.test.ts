import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { withStoreTimeout } from "./store-timeout.ts";

test("an answer that arrived while this process was busy for longer than the time-out is in time", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [[far]] = await Promise.all([once(server, "connection"), once(client, "connect")]);
  const answer = withStoreTimeout(once(client, "data"), 250);
  far.write("+PONG");
  const began = performance.now();
  while (performance.now() - began < 400); // as other requests would keep it busy
  expect(String(await answer)).toBe("+PONG");
  client.destroy();
  server.close();
});

test("what does not answer within the time-out is rejected", async () => {
  await expect(withStoreTimeout(new Promise(() => {}), 250)).rejects.toThrow("no answer within 250 ms");
});
