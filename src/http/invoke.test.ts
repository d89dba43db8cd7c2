import { expect, test } from "vitest";
import { loadContract } from "./contract/contract.ts";
import { makeInvoke } from "./invoke.ts";
import type { Handlers, Principal } from "./operations.ts";

const contract = await loadContract();
const principal: Principal = { streamerId: "s", applicationId: "a", scopes: [], credential: { kind: "api_key", id: "" } };
const seen: unknown[] = [];
const note = async (...given: unknown[]) => {
  seen.splice(0, seen.length, ...given);
  return { status: 200, body: { data: "answered" } };
};
const invoke = makeInvoke(contract, { createDonation: note, listDonations: note, searchDonations: note } as unknown as Handlers);

test("invoke passes the call with defaults to the handler, and returns its answer", async () => {
  const body = { donatorName: "A", amount: 1 };
  expect(await invoke("createDonation", principal, { body })).toEqual({ status: 200, body: { data: "answered" } });
  expect(seen).toEqual([expect.objectContaining({ body: { ...body, currency: "THB", message: "", skipAlert: false } }), principal]);
  expect(body).toEqual({ donatorName: "A", amount: 1 });
});

test("invoke fills in omitted parameters, and does not list them as given", async () => {
  await invoke("listDonations", principal, { query: { limit: 10 } });
  expect(seen[0]).toMatchObject({ query: { limit: 10, sort: "-createdAt" }, given: ["limit"] });
});

test("invoke refuses a call that breaks the contract, with every fault", async () => {
  const errors = [expect.objectContaining({ pointer: "/donatorName" }), expect.objectContaining({ pointer: "/amount" })];
  await expect(invoke("createDonation", principal, { body: { donatorName: "", amount: 0 } })).rejects.toMatchObject({ extras: { errors } });
});

test("invoke names the text that a search lacks together with other faults", async () => {
  const errors = ["limit", "q"].map((parameter) => expect.objectContaining({ parameter }));
  await expect(invoke("searchDonations", principal, { query: { limit: 0 } })).rejects.toMatchObject({ extras: { errors } });
});

test("invoke names an unknown time zone and reversed amounts together with other faults", async () => {
  const errors = ["limit", "maxAmount", "timezone"].map((parameter) => expect.objectContaining({ parameter }));
  const query = { limit: 0, timezone: "Asia/Ayutthaya", minAmount: 2, maxAmount: 1 };
  await expect(invoke("listDonations", principal, { query })).rejects.toMatchObject({ extras: { errors } });
});
