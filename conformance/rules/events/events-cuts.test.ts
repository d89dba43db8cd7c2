import { beforeEach, expect, test } from "vitest";
import { cutAtRandom } from "../../suite/servers/cuts/cuts.ts";
import { noBreach } from "../../suite/servers/cuts/log.ts";
import { killInDelivery, noDeliveryBreach } from "../../suite/servers/cuts/webhook-kills.ts";
import { needsOwnProcess } from "../../suite/servers/start-server.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// The small version of `make event-faults`.

beforeEach(needsOwnProcess);

test("subscribers that are cut while processes, database and its connections are killed get every event once, in the order of the list", async (context) => {
  const operator = operatorOf(context);
  const sizes = { cuts: 60, processes: 2, streamers: 1, subscribers: 6 };
  const measured = await cutAtRandom({ operator, ...sizes, seed: target().seed, killMs: 500, cutMs: 600 });
  expect(measured).toMatchObject(noBreach);
  expect(Math.min(...Object.values(measured.kills)), "each was killed").toBeGreaterThan(0);
  expect(measured.events).toBeGreaterThan(0);
}, 600_000);

// The small version of `make event-faults KILLS=50`.

test("processes that are killed in the middle of a delivery lose no event, and repeat one only with the same webhook-id and body", async (context) => {
  const sizes = { processes: 1, endpoints: 2, kills: 3 };
  const measured = await killInDelivery({ operator: operatorOf(context), ...sizes, seed: target().seed });
  expect(measured).toMatchObject(noDeliveryBreach);
  expect(measured.events).toBeGreaterThan(0);
}, 600_000);
