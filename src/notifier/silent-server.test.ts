import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { useDatabase } from "../db/testing.ts";
import { type SilentRelay, silentRelay } from "../db/testing-silent-relay.ts";
import { collecting, connected, opened } from "./testing-brokers.ts";

let relay: SilentRelay;

useDatabase(async ({ url }) => {
  relay = await silentRelay(url);
  return async () => relay.close();
});

const via = (databaseUrl: string) => ({ deps: () => ({ config: readConfig({ NOTIFIER: "postgres" }), databaseUrl }) });

test("LISTEN is given up within 20 s when the server answers nothing and closes nothing, and goes on when it answers again", async () => {
  const lines: string[] = [];
  const [a, b] = [opened(via(relay.url), collecting(lines)), opened(via(relay.url))];
  try {
    await connected(a, b);
    lines.length = 0;
    relay.fallSilent();
    await expect.poll(() => lines, { timeout: 20_000 }).toEqual([expect.stringContaining("cannot be used")]);
    relay.speak();
    await connected(a, b);
    expect(lines).toHaveLength(2);
  } finally {
    relay.speak();
    await Promise.all([a.notifier.close(), b.notifier.close()]);
  }
}, 60_000);
