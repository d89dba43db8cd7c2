// The types of a donation before and after it is recorded, the conversions between them, and what an erased one looks like. Pure.

import { formatInstant, formatInstantOrNull, parseInstant } from "../base/instant.ts";
import { erasedName, foldText } from "../base/text.ts";
import { newId } from "../db/ids.ts";
import type { OperationRequest, Schemas } from "../http/operations.ts";

export type DonationRecord = Schemas["Donation"];
export type Source = Schemas["Source"];
export type Channel = Schemas["Channel"];
export type VoidReason = Schemas["VoidReason"];
type AlertState = Schemas["AlertState"];

/** A donation that the contract allows, its defaults filled in. */
export type DonationInput = OperationRequest<"createDonation">["body"];

/** An optional member without a default is null when it was left out. */
type CompleteInput = {
  [Member in keyof DonationInput]-?: undefined extends DonationInput[Member]
    ? NonNullable<DonationInput[Member]> | null
    : DonationInput[Member];
};

/** A donation to record: every member of the contract's ExternalDonation, and the members that we add. */
export type NewDonation = Readonly<
  Omit<CompleteInput, "createdAt"> & {
    streamerId: string;
    id: string;
    applicationId: string;
    donatorKey: string;
    source: Source;
    channel: Channel;
    /** Milliseconds since 1970; null for the time at which it is received. */
    createdAt: number | null;
    /** The caller's offset in minutes; null exactly when `createdAt` is. */
    createdOffset: number | null;
  }
>;

export type Member = keyof NewDonation;

/** A donation as it is stored in the database. */
export type StoredDonation = Omit<NewDonation, "createdAt"> &
  Readonly<{
    createdAt: number;
    receivedAt: number;
    sequence: number;
    alert: Readonly<{ status: AlertState["status"]; reason: AlertState["reason"]; shownAt: number | null; masked: boolean }>;
    /** `at`: milliseconds since 1970. Null: it is not void. */
    voided: Readonly<{ at: number; reason: VoidReason }> | null;
  }>;

export type Origin = { source: Source; channel: Channel };

/** The origin of what comes by the API. */
export const external = { source: "external", channel: "external" } as const satisfies Origin;

/** The streamer whose donation it is, and the application that records it. */
export type RecordedBy = Readonly<{ streamerId: string; applicationId: string }>;

/** Builds a donation from checked input: with a new id and the donator's key. */
export function newDonation(input: DonationInput, by: RecordedBy, origin: Origin): NewDonation {
  const identifier = input.identifier || null; // "" counts as none
  const created = input.createdAt === undefined ? null : parseInstant(input.createdAt);
  return {
    streamerId: by.streamerId,
    id: newId(),
    applicationId: by.applicationId,
    idempotencyKey: input.idempotencyKey ?? null,
    donatorName: input.donatorName,
    donatorKey: donatorKey(input.donatorName, identifier),
    amount: input.amount,
    currency: input.currency,
    message: input.message,
    identifier,
    skipAlert: input.skipAlert,
    ...origin,
    createdAt: created?.ms ?? null,
    createdOffset: created?.offset ?? null,
  };
}

/** The stored form of a donation that has just been recorded. */
export function justStored(donation: NewDonation, receivedAt: number, sequence: number): StoredDonation {
  const alert = donation.skipAlert ? skippedOnRequest : queued;
  return { ...donation, createdAt: donation.createdAt ?? receivedAt, receivedAt, sequence, alert, voided: null };
}

const queued = { status: "queued", reason: null, shownAt: null, masked: false } as const;
export const skippedOnRequest = { status: "skipped", reason: "skip_alert", shownAt: null, masked: false } as const;

/** The record of the contract as one application reads it: idempotency keys of other applications are null. */
export function toRecord(donation: StoredDonation, readerApplicationId: string): Required<DonationRecord> {
  const { id, donatorName, amount, currency, message, identifier, skipAlert, source, channel, alert, voided } = donation;
  return {
    id,
    donatorName,
    amount,
    currency,
    message,
    identifier,
    idempotencyKey: donation.applicationId === readerApplicationId ? donation.idempotencyKey : null,
    skipAlert,
    source,
    channel,
    alert: { ...alert, shownAt: formatInstantOrNull(alert.shownAt) },
    createdAt: formatInstant(donation.createdAt, donation.createdOffset ?? 0),
    receivedAt: formatInstant(donation.receivedAt),
    voided: voided && { at: formatInstant(voided.at), reason: voided.reason },
  };
}

/** A member that can be posted and is not in the record does not compile: add it to the contract's Donation, or a reason here. */
export const notInRecord = {} satisfies Record<Exclude<keyof Schemas["ExternalDonation"], keyof DonationRecord>, string>;

/**
 * Returns `i:` and the exact identifier, or `n:` and the normalised name: NFKC, trimmed, white space collapsed, case-folded, one leading `@`
 * removed. A name that would become empty is used as it is.
 */
export function donatorKey(donatorName: string, identifier: string | null): string {
  if (identifier !== null) return `i:${identifier}`;
  return `n:${normaliseName(donatorName) || donatorName}`;
}

function normaliseName(name: string): string {
  return foldText(name).trim().replace(/\s+/gu, " ").replace(/^@/u, "").trim();
}

/** Begins the key of a donator who was erased; what follows tells nothing of them. Other keys begin with `i:` or `n:`. */
export const erasedPrefix = "e:";

/** What an erased donation has in place of what its donator wrote. Each text of the contract that donators write needs a line. */
export const erasedValues = { donatorName: erasedName, message: "", identifier: null } as const satisfies Partial<NewDonation>;

/** Members that are gone, and that a repeated request can't be compared with. */
export const erasedMembers = Object.keys(erasedValues) as readonly Member[];

export function isErased({ donatorKey }: { donatorKey: string }): boolean {
  return donatorKey.startsWith(erasedPrefix);
}
