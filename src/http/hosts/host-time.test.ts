import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { meter } from "./host-time.ts";

/** A connection of this owner, and a function that lets its host send. */
async function openMetered(owner: string) {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const connected = once(server, "connection");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const { stream } = meter(socket, owner);
  const [host] = (await connected) as [Socket];
  onTestFinished(() => {
    stream.destroy();
    host.destroy();
    server.close();
  });
  return { stream, send: (text: string) => host.write(text) };
}

/** `ms`: of the thread's own time. On a busy machine it takes longer. */
function compute(ms: number): void {
  for (const began = process.threadCpuUsage(); process.threadCpuUsage(began).user < ms * 1_000; );
}

test("an owner whose host has kept the thread waits for nine times as long with all connections, and others do not", async () => {
  const [costly, same, other] = await Promise.all(["a", "a", "b"].map(openMetered));
  costly!.stream.once("data", () => compute(50));
  const arrived: string[] = [];
  same!.stream.on("data", () => arrived.push("same"));
  other!.stream.on("data", () => arrived.push("other"));
  costly!.send("x");
  await once(costly!.stream, "data");
  const began = performance.now();
  same!.send("x");
  await once(same!.stream, "data");
  expect(performance.now() - began).toBeGreaterThan(300);
  other!.send("x");
  await once(other!.stream, "data");
  expect(arrived).toEqual(["same", "other"]);
});
