import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { type Attack, type AttackedServer, notRunReason, prepareAttackedServer } from "../../attack/attack.ts";
import { families } from "../../attack/families.ts";
import { longestWaitMs } from "../../attack/sockets.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { target } from "../../suite/values/target.ts";

// Runs the small version of `make attack` against a server of its own with rate limits on.

/** Longer than an attack waits for a state of its connections. */
const timeoutMs = 3 * longestWaitMs;

const { "stalled-readers": stalled = [], "guessed-credentials": guessed = [], ...others } = families;

let server: Process | null = null;
let attacked: AttackedServer | null = null;
const begun = new Map<Attack, Promise<string>>();

const run = (attack: Attack): Promise<string> => attack.run(attacked as AttackedServer, "small");

beforeAll(async () => {
  const { operator } = target();
  if (!operator) return;
  server = await startProcess(operator, "attacked", { RATE_LIMITS: "on", LOG_LEVEL: "warn" });
  attacked = await prepareAttackedServer(operator, server);
  for (const attack of stalled) {
    const running = run(attack); // concurrently with the others: it mostly waits for the server to time out
    running.catch(() => {});
    begun.set(attack, running);
  }
}, timeoutMs);
afterAll(() => server?.stop());
beforeEach(needsOwnProcess);

// Attacks with invalid credentials run last: afterwards this address is refused without a valid one.
const all = Object.entries({ ...others, "stalled-readers": stalled, "guessed-credentials": guessed });

describe.each(all)("%s", (_, attacks) => {
  test.for(attacks)("$rule", { timeout: timeoutMs }, async (attack, context) => {
    const reason = notRunReason(attack, "small");
    if (reason !== null) context.skip(`not run: ${reason}`);
    expect(await (begun.get(attack) ?? run(attack))).not.toBe("");
  });
});
