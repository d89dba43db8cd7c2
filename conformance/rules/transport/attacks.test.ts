import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import type { Arena, Attack } from "../../attack/arena.ts";
import { families } from "../../attack/families.ts";
import { prepareArena } from "../../attack/prepare.ts";
import { needsClients } from "../../harness/oauth/oauth-client.ts";
import { type Process, startProcess } from "../../harness/server/process.ts";
import { target } from "../../harness/server/target.ts";

// The small version of `make attack`, against a server of its own with rate limits on.

const { "stalled-readers": stalled = [], "guessed-credentials": guessed = [], ...others } = families;

let server: Process | null = null;
let arena: Arena | null = null;
const begun = new Map<Attack, Promise<string>>();

const run = (attack: Attack): Promise<string> => attack.run(arena as Arena, "small");

beforeAll(async () => {
  const { operator } = target();
  if (!operator) return;
  server = await startProcess(operator, "attacked", { RATE_LIMITS: "on", LOG_LEVEL: "warn" });
  arena = await prepareArena(operator, server.url);
  for (const attack of stalled) {
    const running = run(attack); // beside all others: most of its time is spent waiting for the server to lose patience
    running.catch(() => {});
    begun.set(attack, running);
  }
}, 120_000);
afterAll(() => server?.stop());
beforeEach(needsClients);

// Last those with bad credentials: afterwards this address is refused without a good one.
const all = Object.entries({ ...others, "stalled-readers": stalled, "guessed-credentials": guessed });

describe.each(all)("%s", (_, attacks) => {
  test.each(attacks)("$rule", async (attack) => expect(await (begun.get(attack) ?? run(attack))).not.toBe(""));
});
