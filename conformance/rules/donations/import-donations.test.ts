import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { create, faultsOf, get, listAll, readDonation, recorded, replayed } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { faultsOfOutcome, forms, type ImportOutcome, importAll, outcomesOf, verdictsOf } from "../../suite/client/imports.ts";
import { broken, mutationsBut } from "../../suite/client/mutations.ts";
import { type Body, donation, donations, freshIdentifier, freshKey, fullDonation } from "../../suite/values/donations.ts";
import { keyOf } from "../../suite/values/target.ts";

const imported = (members: Body = {}): Body => donation({ idempotencyKey: freshKey(), ...members });
const idsOf = (outcomes: readonly ImportOutcome[]): (string | null)[] => outcomes.map(({ donationId }) => donationId);

describe.each(forms)("an import as %s", (form) => {
  test(`an import as ${form} records every donation of it, each with the members that it was sent with`, () =>
    holds(
      fc.array(donations, { minLength: 1, maxLength: 20 }),
      async (bodies) => {
        const sent = bodies.map((body) => ({ ...body, skipAlert: true, idempotencyKey: freshKey() }));
        const outcomes = outcomesOf(await importAll(form, sent));
        expect(outcomes.map(({ status }) => status)).toEqual(sent.map(() => 201));
        for (const [index, { donationId }] of outcomes.entries()) {
          const stored = readDonation(await get(String(donationId)));
          // A replay of the single operation compares every member with what is stored.
          expect(replayed(await create(sent[index]))).toEqual(stored);
        }
      },
      { runs: 20 },
    ));

  test(`a donation of an import as ${form} is refused for the faults that the single operation names, and the others are recorded`, () =>
    holds(
      mutationsBut("idempotencyKey"),
      async (mutation) => {
        const faulty = broken(imported(), mutation);
        const single = faultsOf(await create(faulty));
        const outcomes = outcomesOf(await importAll(form, [imported(), faulty, imported()]));
        expect(outcomes.map(({ status }) => status)).toEqual([201, 400, 201]);
        expect(faultsOfOutcome(outcomes[1] as ImportOutcome)).toEqual(single);
      },
      { runs: 100 },
    ));

  test(`a donation of an import as ${form} without idempotencyKey is refused with required`, async () => {
    const [outcome] = outcomesOf(await importAll(form, [donation()]));
    expect(faultsOfOutcome(outcome as ImportOutcome)).toEqual(["/idempotencyKey required"]);
  });

  test(`an import as ${form} that is sent again records nothing and answers 200 with the donations recorded first`, async () => {
    const identifier = freshIdentifier();
    const sent = Array.from({ length: 30 }, (_, index) => imported({ identifier, amount: index + 1 }));
    const first = await importAll(form, sent.slice(0, 20));
    const again = await importAll(form, sent);
    expect(verdictsOf(again)).toEqual(sent.map((_, index) => (index < 20 ? 200 : 201)));
    expect(idsOf(outcomesOf(again)).slice(0, 20)).toEqual(idsOf(outcomesOf(first)));
    expect(await listAll({ identifier })).toHaveLength(30);
  });

  test(`a key of an import as ${form} is one with that of the single operation`, async () => {
    const single = recorded(await create(fullDonation()));
    const { idempotencyKey } = single;
    const same = { ...fullDonation(), identifier: single.identifier, idempotencyKey };
    const other = { ...same, amount: 1 };
    const reply = await importAll(form, [same, other]);
    expect(verdictsOf(reply)).toEqual([200, "idempotency_key_reused"]);
    expect(idsOf(outcomesOf(reply))).toEqual([single.id, null]);
  });

  test(`a key twice in one import as ${form} records one donation: the second is a replay, or refused when it is another donation`, async () => {
    const sent = imported();
    const reply = await importAll(form, [sent, sent, { ...sent, message: "another" }]);
    expect(verdictsOf(reply)).toEqual([201, 200, "idempotency_key_reused"]);
  });

  test(`a donation of an import as ${form} raises no alert unless skipAlert is false`, async () => {
    const sent = [imported({ skipAlert: undefined }), imported({ skipAlert: true }), imported({ skipAlert: false })];
    const outcomes = outcomesOf(await importAll(form, sent));
    const stored = await Promise.all(outcomes.map(async ({ donationId }) => readDonation(await get(String(donationId)))));
    expect(stored.map(({ skipAlert }) => skipAlert)).toEqual([true, true, false]);
    expect(stored.map(({ alert }) => alert.reason === "skip_alert")).toEqual([true, true, false]);
  });

  test(`an import as ${form} has the id that the request names, and otherwise a new one, in the header Import-Id`, async () => {
    const importId = crypto.randomUUID();
    expect((await importAll(form, [imported()], { importId })).headers["import-id"]).toBe(importId);
    const news = await Promise.all([imported(), imported()].map((one) => importAll(form, [one])));
    expect(new Set(news.map(({ headers }) => headers["import-id"])).size).toBe(2);
  });

  test(`two streamers import the same keys as ${form} under the same import id, and each has donations of its own`, async (context) => {
    const stranger = keyOf(context, "other");
    const importId = crypto.randomUUID();
    const sent = [imported(), imported()];
    const [own, theirs] = [await importAll(form, sent, { importId }), await importAll(form, sent, { importId, key: stranger })];
    expect([verdictsOf(own), verdictsOf(theirs)]).toEqual([
      [201, 201],
      [201, 201],
    ]);
    const [id] = idsOf(outcomesOf(theirs));
    expect((await get(String(id))).status).toBe(404);
  });
});

test("an import as JSON says its id in the body as well", async () => {
  const reply = await importAll("JSON", [imported()]);
  expect((reply.body as { data: { importId: string } }).data.importId).toBe(reply.headers["import-id"]);
});

test("an import as JSON of 1000 donations is recorded, each has its outcome, and no key is forgotten for it", async () => {
  const first = fullDonation();
  const original = recorded(await create(first));
  const identifier = freshIdentifier();
  const sent = Array.from({ length: 1000 }, (_, index) => imported({ identifier, amount: index + 1 }));
  expect(verdictsOf(await importAll("JSON", sent))).toEqual(sent.map(() => 201));
  expect(verdictsOf(await importAll("JSON", sent))).toEqual(sent.map(() => 200));
  expect(replayed(await create(first))).toEqual(original);
  expect((await listAll({ identifier, limit: 100 })).map(({ amount }) => amount).sort((a, b) => a - b)).toEqual(
    sent.map((_, index) => index + 1),
  );
});
