// Every request and every rule has an end: what happens on a server that does not answer, and what a rule's time is.

import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { send } from "../../suite/client/http-client.ts";
import { createTarget } from "../../suite/command/settings.ts";
import { outsideOfRule, runWithinLimit } from "../../suite/values/running.ts";
import { useTarget } from "../../suite/values/target.ts";
import { explainTimeout, type TimeLimits } from "../../suite/values/time-limits.ts";
import { secret } from "./command.ts";
import { type Answer, serving } from "./fakes.ts";

const keys = { main: secret, secondApplication: null, readOnly: null, writeOnly: null };
const others = { other: null, quiet: null, overlay: null, otherOverlay: null };
const settings = { seed: 1, path: null, depth: "full", lengthUnit: "all", harMegabytes: 1, corpus: null, receiver: null } as const;

/** Makes a server of someone else the one under test, with these limits in seconds. */
function testing(url: string, limits: TimeLimits): void {
  const served = { url, keys: { ...keys, ...others }, client: null, operator: null, oauth: null };
  useTarget({ ...createTarget(settings, served), limits });
}

const never = (): Promise<never> => new Promise(() => {});

describe("a request", () => {
  const silent: Answer = () => {};
  const stalled: Answer = (_, response) => void response.writeHead(200).write("{");

  test.each([
    ["does not answer", silent],
    ["stops in the middle of its answer", stalled],
  ])("a request to a server that %s fails with a message that names request and limit", async (_, answer) => {
    testing(await serving(answer), { request: 0.2, rule: 60 });
    await expect(send({ path: "/api/v1/me" })).rejects.toThrow("no answer to GET /api/v1/me within 0.2 s");
  });
});

describe("a rule", () => {
  beforeEach(() => testing("http://127.0.0.1:9", { request: 60, rule: 0.3 }));

  test("a rule that does not end fails with a message that names its limit", () =>
    expect(runWithinLimit(never)).rejects.toThrow("the rule took longer than its limit of 0.3 s"));

  test("a rule that waits for the server's rate limit fails only when it takes too long without that time", async () => {
    const waiting = () => outsideOfRule(() => sleep(700)).then(() => {});
    await expect(runWithinLimit(waiting)).resolves.toBeUndefined();
    await expect(runWithinLimit(() => waiting().then(never))).rejects.toThrow("its limit of 0.3 s");
  });

  test("a rule that vitest ends has the same message", () => {
    const ofVitest =
      'Test timed out in 120000ms.\nIf this is a long-running test, pass a timeout value as the last argument or …"testTimeout".';
    expect(explainTimeout(ofVitest)).toBe("the rule took longer than its limit of 120 s");
    expect(explainTimeout(ofVitest.replace("Test", "Hook"))).toBe("the preparation of these rules took longer than its limit of 120 s");
    expect(explainTimeout("expected 200 to be 201")).toBe("expected 200 to be 201");
  });
});
