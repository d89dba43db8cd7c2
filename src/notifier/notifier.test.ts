import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import type { Logger } from "pino";
import { beforeAll, describe, expect, test } from "vitest";
import { packHints, readHints } from "./open-notifier.ts";
import { brokers, collecting, inProcess, listen, opened, useBrokers } from "./testing-brokers.ts";

useBrokers();

describe.each([["process", inProcess], ...brokers])("the %s notifier, in its own process", (_, broker) => {
  const start = (log?: Logger) => opened(broker, log);
  beforeAll(() => broker.start?.());

  test("notify calls all listeners of its process at once", () => {
    const { notifier, heard } = start();
    const second = listen(notifier);
    notifier.notify("a");
    expect([heard, second]).toEqual([["a"], ["a"]]);
  });

  test("10,000 calls of notify return quickly and become few calls of the listener", async () => {
    const { notifier, heard } = start();
    const [started, before] = [performance.now(), process.threadCpuUsage()];
    for (let i = 0; i < 10_000; i += 1) notifier.notify("a");
    const { user, system } = process.threadCpuUsage(before);
    const took = performance.now() - started;
    await sleep(100);
    expect((user + system) / 1_000).toBeLessThan(1_000); // milliseconds of this thread, whatever else the machine does
    expect(heard.length).toBeGreaterThan(1);
    expect(heard.length).toBeLessThanOrEqual(2 + took / 20);
  });

  test("a listener is called after the last call of notify, even when one just before was delivered", async () => {
    const { notifier } = start();
    let state = 0;
    const seen: number[] = [];
    notifier.subscribe(() => seen.push(state));
    for (state = 1; state <= 50; state += 1) {
      notifier.notify("a");
      await sleep(1);
    }
    await sleep(60);
    expect(seen[0]).toBe(1);
    expect(seen.at(-1)).toBeGreaterThanOrEqual(50); // after the last call: in the millisecond that follows it, or later
    expect(seen.length).toBeLessThan(20);
  });

  test("a listener that throws does not keep others from being called, and is logged", () => {
    const lines: string[] = [];
    const { notifier } = start(collecting(lines));
    notifier.subscribe(() => {
      throw new Error("listener");
    });
    const heard = listen(notifier);
    notifier.notify("a");
    expect(heard).toEqual(["a"]);
    expect(lines.filter((line) => line.includes("a listener of the notifier failed"))).toHaveLength(1);
  });

  test("a closed notifier does nothing, and may be closed twice", async () => {
    const { notifier, heard } = start();
    notifier.notify("a");
    notifier.notify("a");
    await notifier.close();
    notifier.notify("b");
    await notifier.close();
    await sleep(60);
    expect(heard).toEqual(["a"]);
  });
});

const ids = fc.array(fc.uuid(), { maxLength: 1_000 });
const origin = fc.base64String({ minLength: 8, maxLength: 8 }).map((text) => text.replace(/[^\w]/g, "-"));

test("packed ids are read again from messages that PostgreSQL accepts", () => {
  fc.assert(
    fc.property(origin, ids, (from, streamerIds) => {
      const messages = packHints(from, streamerIds);
      for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThanOrEqual(7_900);
      expect(messages.map(readHints).flatMap((hints) => hints?.streamerIds)).toEqual(streamerIds);
      for (const message of messages) expect(readHints(message)?.origin).toBe(from);
    }),
  );
});

test("ids are packed into as few messages as possible", () => {
  const id = "0190a5a0-0000-7000-8000-000000000000";
  expect(packHints("12345678", [])).toEqual([]);
  expect(packHints("12345678", Array(213).fill(id))).toHaveLength(1);
  expect(packHints("12345678", Array(214).fill(id))).toHaveLength(2);
});

test("a text of another format is read as null", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readHints(text)).toBeNull();
    }),
  );
});
