// A receiver of webhooks in a thread of its own, so that it takes no time from the program that records donations. By path: `/hang` never
// answers, `/500` answers 500, everything else 200 at once.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

/** A delivery of an event to a path that answers 200, and when it came, in milliseconds since 1970. */
export type Delivery = readonly [path: string, id: string, at: number];

export type BenchReceiver = {
  url: string;
  /** How many came since the last `take`. */
  count: () => Promise<number>;
  /** Returns what came, and forgets it. */
  take: () => Promise<Delivery[]>;
  close: () => Promise<unknown>;
};

const preciseNow = (): number => performance.timeOrigin + performance.now();

export async function startReceiver(): Promise<BenchReceiver> {
  const worker = new Worker(new URL(import.meta.url));
  const ask = async <Answer>(question: string): Promise<Answer> => {
    const answered = once(worker, "message"); // rejects when the thread fails
    worker.postMessage(question);
    const [answer] = await answered;
    return answer as Answer;
  };
  const port = await ask<number>("port");
  return { url: `http://127.0.0.1:${port}`, count: () => ask("count"), take: () => ask("take"), close: () => worker.terminate() };
}

if (!isMainThread) receive();

function receive(): void {
  let deliveries: Delivery[] = [];
  const server = createServer((request, response) => {
    const { url: path = "/" } = request;
    request.resume();
    if (path === "/hang") return;
    const isFine = path !== "/500";
    if (isFine) deliveries.push([path, String(request.headers["webhook-id"]), preciseNow()]);
    response.writeHead(isFine ? 200 : 500).end();
  }).listen(0, "127.0.0.1");
  const listening = new Promise<void>((resolve) => server.once("listening", resolve));
  parentPort?.on("message", async (question: string) => {
    await listening;
    if (question === "port") return parentPort?.postMessage((server.address() as AddressInfo).port);
    if (question === "count") return parentPort?.postMessage(deliveries.length);
    parentPort?.postMessage(deliveries);
    deliveries = [];
  });
}
