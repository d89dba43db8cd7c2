import { beforeEach, expect, test } from "vitest";
import { killInDelivery, noDeliveryBreach } from "../../suite/servers/cuts/webhook-kills.ts";
import { needsOwnProcess } from "../../suite/servers/start-server.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// The small version of `make event-faults KILLS=50`.

beforeEach(needsOwnProcess);

test("processes that are killed in the middle of a delivery lose no event, and repeat one only with the same webhook-id and body", async (context) => {
  const sizes = { processes: 1, endpoints: 2, kills: 3 };
  const measured = await killInDelivery({ operator: operatorOf(context), ...sizes, seed: target().seed });
  expect(measured).toMatchObject(noDeliveryBreach);
  expect(measured.events).toBeGreaterThan(0);
}, 600_000);
