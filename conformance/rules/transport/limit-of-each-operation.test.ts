// Each operation counts against the limit that the contract names for it, and says so in its answer.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { send } from "../../suite/client/http-client.ts";
import { newStreamer } from "../../suite/client/operator.ts";
import { contract, operations } from "../../suite/contract/contract.ts";
import { filled } from "../../suite/contract/resources.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { target } from "../../suite/values/target.ts";

// Uses a separate process, because the server under test does not limit the rate, and a streamer whose buckets are full.

type Described = Record<string, Record<string, Record<string, unknown>>>;
const published = contract["x-rate-limits"] as Record<string, { quota: number; window: number; burst: number }>;
const limitOf = ({ path, method }: (typeof operations)[number]): unknown =>
  (contract.paths as Described)[path]?.[method.toLowerCase()]?.["x-rate-limit"];
const counted = [
  ...Map.groupBy(
    operations.filter(({ scopes }) => scopes !== null),
    limitOf,
  ),
] as [string, typeof operations][];

let limited: Process | null = null;
beforeAll(async () => {
  const { operator } = target();
  if (operator) limited = await startProcess(operator, "limit-of-each-operation", { RATE_LIMITS: "on" });
});
afterAll(() => limited?.stop());
beforeEach(needsOwnProcess);
const keyOf = newStreamer();

test.for(counted)(
  "each operation of the limit %s takes a token of it, and its answer names the limit with the contract's numbers",
  async ([name, those], context) => {
    const { quota = 0, window = 0, burst = 0 } = published[name] ?? {};
    const key = keyOf(context);
    const began = performance.now();
    for (const [index, { id, method, path }] of those.entries()) {
      // Without an effect: the unknown parameter is refused, and after the limit.
      const { headers } = await send({ method, path: `${filled(path)}?unknown=1`, key, server: limited?.url ?? "" });
      const gained = Math.ceil(((performance.now() - began) / 1_000) * (quota / window));
      const left = Number(/;r=(\d+);/.exec(String(headers.ratelimit))?.[1]);
      expect(headers["ratelimit-policy"], id).toBe(`"${name}";q=${quota};w=${window}`);
      expect(left, id).toBeGreaterThanOrEqual(burst - index - 1);
      expect(left, id).toBeLessThanOrEqual(Math.max(0, burst - index - 1) + gained);
    }
  },
);
