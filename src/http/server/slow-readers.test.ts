import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { stallWatch } from "./slow-readers.ts";

test("a client that reads nothing is stalled; one that reads a little, or has nothing to read, is not", async () => {
  const isStalled = stallWatch(1_000);
  const handle = { bytesWritten: 100, writeQueueSize: 100 };
  const socket = { writableLength: 0, _handle: handle } as unknown as Socket & { writableLength: number };
  expect([isStalled(socket, 0), isStalled(socket, 9_000)]).toEqual([false, false]);
  Object.assign(socket, { writableLength: 100 });
  expect([isStalled(socket, 10_000), isStalled(socket, 10_999), isStalled(socket, 11_000)]).toEqual([false, false, true]);
  handle.writeQueueSize = 99;
  expect([isStalled(socket, 11_500), isStalled(socket, 12_499), isStalled(socket, 12_500)]).toEqual([false, false, true]);
});
