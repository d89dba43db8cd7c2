// Reads a donation through every operation that answers donations.

import { type Donation, get, list, pageOf, type Query, readDonation, search } from "../../client/api.ts";
import { exported, type Row } from "../../client/workbook.ts";
import { titleOf } from "../../contract/columns.ts";
import { contract, type Operation, operations, type Schema } from "../../contract/contract.ts";
import type { Body } from "../../values/donations.ts";
import { report } from "../report-requests.ts";

/** A donation that was just recorded, with the body that was sent; its identifier is unique. */
export type Recorded = { donation: Donation; sent: Body };

/** The value that an operation answers for a member, or a description of why there is none. */
export type Reading = { value: unknown } | { missing: string };

type Reader = (recorded: Recorded, member: string) => Promise<Reading>;

/** An operation that answers donations as JSON. */
const ofRecord =
  (read: (recorded: Recorded) => Promise<{ [member: string]: unknown } | null | undefined>): Reader =>
  async (recorded, member) => {
    const record = await read(recorded);
    if (!record) return { missing: "does not hold the donation" };
    return member in record ? { value: record[member] } : { missing: "answers the donation without it" };
  };

const findIn = (donations: readonly Donation[], { donation }: Recorded): Donation | undefined =>
  donations.find(({ id }) => id === donation.id);

/** By operation. createDonation's own answer is looked at where it is sent. */
export const readers: { [operation: string]: Reader } = {
  getDonation: ofRecord(async ({ donation }) => readDonation(await get(donation.id))),
  listDonations: ofRecord(async (one) => findIn(pageOf(await list(newestOf(one))).data, one)),
  searchDonations: ofRecord(async (one) => findIn(pageOf(await search({ q: String(one.sent.identifier) })).data, one)),
  getDonationStats: ofRecord(async ({ donation }) => (await report("stats", momentOf(donation))).latest),
  exportDonations: async ({ donation, sent }, member) => {
    const { rows } = await exported({ identifier: String(sent.identifier), timezone: "UTC" });
    const row = rows.find((one) => one[titleOf("id")]?.v === donation.id);
    if (!row) return { missing: "does not hold the donation" };
    return titleOf(member) in row ? { value: ofCell(row, member) } : { missing: `has no column "${titleOf(member)}"` };
  },
};

/** Operations that answer donations and are not read, each with the reason. */
export const unreadOperations: { [operation: string]: string } = {
  createDonation: "its answers are looked at where they are sent",
  voidDonation: "takes back the donation that the other operations read",
  sendTestAlert: "records a test of its own, with the members of its own body",
};

/** The operations whose answers hold the schema Donation. */
export const answeringDonations = (): Operation[] => operations.filter(({ responses }) => namesIn(responses).has("Donation"));

/** Filters by the unique identifier, newest first, because a page holds a limited number. */
const newestOf = ({ sent }: Recorded): Query => ({ identifier: String(sent.identifier), sort: "-receivedAt" });

/** Of several donations at that instant the latest is the one recorded last. */
function momentOf({ createdAt }: Donation): { from: string; to: string } {
  return { from: createdAt, to: new Date(Date.parse(createdAt) + 1).toISOString() };
}

/** An empty cell stands for null and for "". A date is written as the export shows it, in UTC. */
function ofCell(row: Row, member: string): unknown {
  const cell = row[titleOf(member)];
  return cell?.z && cell.w !== undefined && /^\d{4,}-\d\d-\d\d /.test(cell.w) ? `${cell.w.replace(" ", "T")}Z` : (cell?.v ?? "");
}

/** The names of all schemas below. */
function namesIn(node: unknown, seen = new Set<string>()): Set<string> {
  if (typeof node !== "object" || node === null) return seen;
  const { $ref } = node as { $ref?: string };
  const name = $ref?.split("/").at(-1);
  if (name !== undefined && !seen.has(name)) {
    seen.add(name);
    namesIn((contract.components as { schemas: { [name: string]: Schema } }).schemas[name], seen);
  }
  for (const below of Object.values(node)) namesIn(below, seen);
  return seen;
}
