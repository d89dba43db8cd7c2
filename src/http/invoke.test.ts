import { expect, test } from "vitest";
import { loadContract } from "./contract.ts";
import { asking } from "./invoke.ts";
import type { Handlers, Principal } from "./operations.ts";

const contract = await loadContract();
const principal: Principal = { streamerId: "s", applicationId: "a", scopes: [], credential: { kind: "api_key", id: "" } };
const seen: unknown[] = [];
const note = async (...given: unknown[]) => {
  seen.splice(0, seen.length, ...given);
  return { status: 200, body: { data: "answered" } };
};
const ask = asking(contract, { createDonation: note, listDonations: note } as unknown as Handlers);

test("the handler is given what was asked, defaults filled in, and its answer comes back", async () => {
  const body = { donatorName: "A", amount: 1 };
  expect(await ask("createDonation", principal, { body })).toEqual({ status: 200, body: { data: "answered" } });
  expect(seen).toEqual([expect.objectContaining({ body: { ...body, currency: "THB", message: "", skipAlert: false } }), principal]);
  expect(body).toEqual({ donatorName: "A", amount: 1 });
});

test("parameters that were left out are filled in, and are not among the given", async () => {
  await ask("listDonations", principal, { query: { limit: 10 } });
  expect(seen[0]).toMatchObject({ query: { limit: 10, sort: "-createdAt" }, given: ["limit"] });
});

test("what breaks the contract is refused with every fault", async () => {
  const errors = [expect.objectContaining({ pointer: "/donatorName" }), expect.objectContaining({ pointer: "/amount" })];
  await expect(ask("createDonation", principal, { body: { donatorName: "", amount: 0 } })).rejects.toMatchObject({ extras: { errors } });
});
