import { expect, test } from "vitest";
import { newSecret } from "./request/send.ts";
import { useTestWebhooks } from "./testing.ts";

const setting = useTestWebhooks();
const dayMs = 86_400_000;

/** An endpoint, how its secret is rotated, and how many of some rotations at once replace it. */
async function setUp() {
  const { webhooks } = setting;
  const owner = await webhooks.owner();
  const { id } = await webhooks.endpoint(owner, "http://127.0.0.1:9/");
  const rotate = (replaces?: number | null) =>
    webhooks.endpoints.rotate(owner, id, { secret: newSecret(), until: webhooks.now() + dayMs, replaces });
  const atOnce = async (replaces: number | null) =>
    (await Promise.all(Array.from({ length: 4 }, () => rotate(replaces)))).filter((rotated) => rotated !== null);
  const lines = () => webhooks.knex("audit_log").where({ chain: owner.streamerId }).whereLike("entry", "%webhook.secret_rotated%");
  return { rotate, atOnce, lines };
}

test("one of several rotations at once that replace the same secret goes through", async () => {
  const { atOnce, lines } = await setUp();
  const first = await atOnce(null);
  expect(first).toHaveLength(1);
  expect(await atOnce(null)).toEqual([]);
  setting.webhooks.advance(1);
  expect(await atOnce(first[0]?.previousSecretUntil ?? 0)).toHaveLength(1);
  expect(await lines()).toHaveLength(2);
});

test("a secret whose previous one signs no longer is replaced as one that has none", async () => {
  const { rotate, atOnce } = await setUp();
  const until = (await rotate())?.previousSecretUntil ?? 0;
  setting.webhooks.advance(dayMs + 1);
  expect(await atOnce(until)).toEqual([]);
  expect(await atOnce(null)).toHaveLength(1);
});

test("a rotation that names no secret replaces whichever there is", async () => {
  const { rotate } = await setUp();
  for (let i = 0; i < 3; i += 1) expect(await rotate()).not.toBeNull();
});
