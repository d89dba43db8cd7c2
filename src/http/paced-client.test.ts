import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { paceReads } from "./paced-client.ts";

const bytes = 60_000;

/** A socket on which an answer has arrived, read as undici reads it. `arrived`: of each socket, what its reader has. */
function openSocket(arrived: number[], index: number): Promise<void> {
  const socket = new Readable({ highWaterMark: 65_536, read() {} });
  arrived[index] = 0;
  paceReads(socket, (count) => (arrived[index]! += count));
  const ended = new Promise<void>((resolve) => socket.once("end", resolve));
  socket.on("readable", () => {
    while (socket.read() !== null);
  });
  socket.push(Buffer.alloc(bytes));
  socket.push(null);
  return ended;
}

test("a turn of the event loop reads 16 KiB of all answers together, 4 KiB of each in turn, until all have ended", async () => {
  const arrived: number[] = [];
  const ended = Promise.all(Array.from({ length: 10 }, (_, index) => openSocket(arrived, index)));
  const total = () => arrived.reduce((sum, one) => sum + one, 0);
  for (let before = 0; total() < 10 * bytes; before = total()) {
    await nextTurn();
    expect(total() - before).toBeLessThanOrEqual(2 * 16_384); // the test's own turn may begin before the reader's or after it
    expect(Math.max(...arrived) - Math.min(...arrived)).toBeLessThanOrEqual(2 * 4_096);
  }
  await ended;
  expect(arrived).toEqual(Array(10).fill(bytes));
});
