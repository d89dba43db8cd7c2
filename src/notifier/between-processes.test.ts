import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { uuidv7 } from "uuidv7";
import { beforeAll, describe, expect, test } from "vitest";
import { runningMs } from "../base/testing-time.ts";
import { until } from "../db/testing.ts";
import { brokers, collecting, connected, count, opened, useBrokers } from "./testing-brokers.ts";

useBrokers();

describe.each(brokers)("the %s notifier, between processes", (_, broker) => {
  const start = (log?: Logger) => opened(broker, log);
  beforeAll(() => broker.start?.());

  test("a notification reaches another process, and a closed notifier keeps no process alive", async () => {
    const { notifier, heard } = start();
    const other = fork(join(import.meta.dirname, "testing-process.ts"), [JSON.stringify(broker.deps())], { execArgv: [] });
    const otherHeard: string[] = [];
    other.on("message", ({ heard }: { heard: string }) => otherHeard.push(heard));
    const [ours, theirs] = [uuidv7(), uuidv7()];
    await until(async () => {
      notifier.notify(ours);
      other.send({ notify: theirs });
      await sleep(30);
      return heard.includes(theirs) && otherHeard.includes(ours);
    });
    other.send({ close: true });
    expect(await once(other, "exit")).toEqual([0, null]);
  });

  test("two notifiers receive each other's notifications, and not their own a second time", async () => {
    const [a, b] = await connected(start(), start());
    const [fromA, fromB] = [uuidv7(), uuidv7()];
    a.notifier.notify(fromA);
    b.notifier.notify(fromB);
    await until(async () => a.heard.includes(fromB) && b.heard.includes(fromA));
    await sleep(60);
    expect(count(a.heard, fromA)).toBe(1); // its own does not come back to it
    expect(count(b.heard, fromA)).toBe(1);
  });

  test("10,000 calls for one streamer become few messages, the last of them after the last call", async () => {
    const [a, b] = await connected(start(), start());
    const id = uuidv7();
    let last = false;
    let heardAfterLast = false;
    b.notifier.subscribe((streamerId) => {
      if (streamerId === id) heardAfterLast = last;
    });
    const started = performance.now();
    for (let i = 0; i < 10_000; i += 1) {
      last = i === 9_999;
      a.notifier.notify(id);
      if (i % 1_000 === 0) await sleep(5);
    }
    const took = performance.now() - started;
    await until(async () => heardAfterLast);
    await sleep(60);
    expect(count(b.heard, id)).toBeLessThanOrEqual(3 + took / 20);
  });

  test("notifications of 5,000 streamers at once all arrive, each once", async () => {
    const [a, b] = await connected(start(), start());
    const ids = Array.from({ length: 5_000 }, () => uuidv7());
    ids.forEach(a.notifier.notify);
    await until(async () => b.heard.length >= ids.length);
    await sleep(60);
    expect(b.heard.filter((id) => ids.includes(id)).sort()).toEqual(ids.sort());
  });

  test("messages of other programs on the channel are ignored", async () => {
    const [a, b] = await connected(start(), start());
    for (const nonsense of ["", "x", "a,b", "x y", `x ${"-".repeat(37)}`]) await broker.publish(nonsense);
    const id = uuidv7();
    await broker.publish(`somebody ${id}`);
    await until(async () => a.heard.includes(id) && b.heard.includes(id));
    expect(a.heard.filter((streamerId) => !/^[0-9a-f-]{36}$/.test(streamerId))).toEqual([]);
  });

  test("notifications of another brand on the same broker are not received", async () => {
    const deps = broker.deps();
    const stranger = opened({ deps: () => ({ ...deps, config: { ...deps.config, brand: "other" } }) });
    const second = opened({ deps: () => ({ ...deps, config: { ...deps.config, brand: "other" } }) });
    const [a] = await connected(start(), start());
    await connected(stranger, second);
    const id = uuidv7();
    stranger.notifier.notify(id);
    await until(async () => second.heard.includes(id));
    await sleep(60);
    expect(a.heard).not.toContain(id);
  });

  test("connections that are killed are opened again, and the log has one line for the outage and one for its end", async () => {
    const lines: string[] = [];
    const [a, b] = await connected(start(collecting(lines)), start());
    for (let i = 0; i < 3; i += 1) {
      lines.length = 0;
      await broker.killConnections();
      await connected(a, b);
      await connected(b, a);
      expect(lines).toEqual([expect.stringContaining("cannot be used"), expect.stringContaining("is back")]);
    }
  });

  test("while the broker is down notify neither throws nor waits, listeners of the process are called, and the log has one line", async () => {
    const lines: string[] = [];
    const [a, b] = await connected(start(collecting(lines)), start());
    lines.length = 0;
    await broker.relay().cut();
    const started = performance.now();
    const ids = Array.from({ length: 1_000 }, () => uuidv7());
    for (const id of ids) {
      a.notifier.notify(id);
      if (started + 1_500 > performance.now()) await sleep(3);
    }
    expect(new Set(a.heard).size).toBeGreaterThanOrEqual(1_000);
    await sleep(1_500);
    expect(lines).toEqual([expect.stringContaining("cannot be used")]);
    await broker.relay().mend();
    await connected(a, b);
    await connected(b, a);
    expect(lines).toEqual([expect.stringContaining("cannot be used"), expect.stringContaining("is back")]);
  });

  test("a notifier may be opened before its broker is there, and closed while there is none", async () => {
    await broker.relay().cut();
    const [a, b, c] = [start(), start(), start()];
    await sleep(300);
    expect(await runningMs(() => c.notifier.close())).toBeLessThan(1_000);
    await broker.relay().mend();
    await connected(a, b);
  });

  test("close leaves no connection open, whether it was just opened or used before", async () => {
    await until(async () => (await broker.connections()) === 0);
    const [a, b] = await connected(start(), start());
    expect(await broker.connections()).toBe(2);
    const c = start();
    await Promise.all([a, b, c].map(({ notifier }) => notifier.close()));
    await until(async () => (await broker.connections()) === 0);
    await sleep(1_500);
    expect(await broker.connections()).toBe(0);
  });
});
