import { expect, test } from "vitest";
import { gated } from "./concurrency.ts";

test("so many run at once, in the order of asking, whether they succeed or fail", async () => {
  const log: string[] = [];
  let running = 0;
  let most = 0;
  const work = gated(2, async (name: number) => {
    log.push(String(name));
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setTimeout(resolve, 2));
    running -= 1;
    if (name % 3 === 0) throw new Error("no");
    return name;
  });
  const answers = await Promise.allSettled(Array.from({ length: 9 }, (_, name) => work(name)));
  expect(answers.map(({ status }) => status === "fulfilled")).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((name) => name % 3 !== 0));
  expect([most, log.join("")]).toEqual([2, "012345678"]);
});
