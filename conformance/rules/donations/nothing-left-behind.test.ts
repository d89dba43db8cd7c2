import { expect, test } from "vitest";

import { create, createRaw, listAll } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { broken, mutationsBut, severalMutations } from "../../suite/client/mutations.ts";
import { type Body, donation, freshIdentifier } from "../../suite/values/donations.ts";
import { type Holder, keyOf } from "../../suite/values/target.ts";

const everySource = { source: ["external", "native", "test"] };

test("a refused donation leaves nothing behind", () =>
  holds(mutationsBut("identifier"), async (mutation) => {
    const identifier = freshIdentifier();
    expect((await create(broken(donation({ identifier }), mutation))).status).toBe(400);
    expect(await listAll({ identifier, ...everySource })).toEqual([]);
  }));

type Refusal = [what: string, status: number, body: (body: Body) => string, headers?: Record<string, string>];

const refusals: Refusal[] = [
  ["malformed JSON", 400, (body) => `${JSON.stringify(body)}}`],
  ["too large a body", 413, (body) => JSON.stringify(body) + " ".repeat(65_536)],
  ["another content type", 415, (body) => JSON.stringify(body), { "Content-Type": "text/plain" }],
  ["an unknown member", 400, (body) => JSON.stringify({ ...body, created_at: 1 })],
];

test.each(refusals)("a refused donation with %s leaves nothing behind", async (_, status, text, headers) => {
  const identifier = freshIdentifier();
  expect((await createRaw(text(donation({ identifier })), { headers })).status).toBe(status);
  expect(await listAll({ identifier, ...everySource })).toEqual([]);
});

test.for<[Holder | "nobody", number]>([
  ["nobody", 401],
  ["readOnly", 403],
])("a refused donation sent by %s leaves nothing behind", async ([holder, status], context) => {
  const identifier = freshIdentifier();
  const key = holder === "nobody" ? null : keyOf(context, holder);
  expect((await create(donation({ identifier }), { key })).status).toBe(status);
  expect(await listAll({ identifier, ...everySource })).toEqual([]);
});

test("a donation refused for its idempotency key leaves nothing behind", async () => {
  const identifier = freshIdentifier();
  const body = donation({ identifier, idempotencyKey: identifier });
  expect([(await create(body)).status, (await create({ ...body, amount: 21 })).status]).toEqual([201, 422]);
  expect((await listAll({ identifier, ...everySource })).map(({ amount }) => amount)).toEqual([20]);
});

test("a streamer for whom every donation was refused has none", async (context) => {
  const key = keyOf(context, "quiet");
  await holds(severalMutations, async (several) => expect((await create(broken(donation(), ...several), { key })).status).toBe(400));
  expect(await listAll(everySource, { key })).toEqual([]);
});
