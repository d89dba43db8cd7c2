// Rows of a file as donations to import, with a key for each, so that the same file can be imported again. Pure.

import { createHash } from "node:crypto";
import { enumOf, isId } from "../../../http/contract/published.ts";
import type { Fault } from "../../../http/problem.ts";
import type { DonationInput, Origin } from "../../donation.ts";
import { amountOf, createdAtOf } from "./cells.ts";
import type { ColumnMap, FileMember, withoutColumn } from "./columns.ts";
import type { Cell, TableRow } from "./table.ts";

/** `value`: to be checked by the contract. `origin`: to be checked by `checkOrigin`. `knownAs`: ids under which this service may have the donation already. */
export type FileDonation = Readonly<{
  value: Readonly<Record<string, unknown>>;
  origin: FileOrigin;
  knownAs: readonly string[];
  isVoided: boolean;
}>;

type FileOrigin = Readonly<Record<keyof Origin, string>>;

/** Longer than any text of a donation may be: the rest of a longer one is left out, and the row is refused all the same. */
const maxText = 1_000;
const keyPrefix = "namjai:";

/** Returns the function that converts rows, in the order of the file: equal rows get different keys. */
export function rowConverter({ places, isOwn, timezone }: ColumnMap, defaultTimezone: string): (row: TableRow) => FileDonation {
  const repeats = new Map<string, number>();
  const zone = timezone ?? defaultTimezone;
  return ({ cells }) => {
    const cell = (member: FileMember): Cell | undefined => cells[places[member] ?? -1];
    const text = (member: FileMember) => (cell(member) === undefined ? undefined : String(cell(member)).slice(0, maxText));
    const [amount, createdAt] = [cell("amount"), cell("createdAt")];
    const members = {
      donatorName: text("donatorName"),
      amount: amount === undefined ? undefined : amountOf(amount),
      currency: text("currency"),
      message: text("message"),
      identifier: text("identifier"),
      // Without its time a donation would be dated now: where there is a column, an empty cell is a fault.
      createdAt: createdAt === undefined ? (places.createdAt === undefined ? undefined : "") : createdAtOf(createdAt, zone),
    } satisfies Record<Exclude<keyof DonationInput, "idempotencyKey" | keyof typeof withoutColumn>, unknown>;
    const donationId = text("donationId") ?? null;
    const idempotencyKey = text("idempotencyKey") ?? (donationId === null ? keyOf(members, repeats) : keyPrefix + donationId);
    const value = Object.fromEntries(Object.entries({ ...members, idempotencyKey }).filter(([, member]) => member !== undefined));
    const origin = isOwn ? { source: text("source") ?? "external", channel: text("channel") ?? "external" } : external;
    return { value, origin, knownAs: [donationId ?? "", idIn(idempotencyKey)].filter(isId), isVoided: cell("voidedAt") !== undefined };
  };
}

const external = { source: "external", channel: "external" } as const;

const [sources, channels] = [enumOf("Source"), enumOf("Channel")];

/** The origin in the words of the contract, or the members that have other words. */
export function checkOrigin(origin: FileOrigin): Readonly<{ origin: Origin } | { faults: Fault[] }> {
  const source = sources.find((known) => known === origin.source);
  const channel = channels.find((known) => known === origin.channel);
  if (source && channel) return { origin: { source, channel } };
  return { faults: [...(source ? [] : [enumFault("source", sources)]), ...(channel ? [] : [enumFault("channel", channels)])] };
}

function enumFault(member: keyof Origin, allowed: readonly string[]): Fault {
  return { pointer: `/${member}`, code: "invalid_enum", message: `must be one of: ${allowed.join(", ")}` };
}

/** A row without a key has one of its content, and of how many equal rows come before it. */
function keyOf(members: object, repeats: Map<string, number>): string {
  const content = createHash("sha256").update(JSON.stringify(members)).digest("hex").slice(0, 32);
  const count = (repeats.get(content) ?? 0) + 1;
  repeats.set(content, count);
  return `row:${content}:${count}`;
}

/** The id in a key that an earlier import of our own export made. */
function idIn(key: string): string {
  return key.startsWith(keyPrefix) ? key.slice(keyPrefix.length) : "";
}
