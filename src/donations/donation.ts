// The types of a donation before and after it is recorded, and the conversions between them. Pure.

import { hash } from "node:crypto";
import { formatInstant, parseInstant } from "../base/instant.ts";
import { newId } from "../db/ids.ts";
import type { OperationRequest, Principal, Schemas } from "../http/operations.ts";
import { compared } from "./columns.ts";
import { donatorKey } from "./donator-key.ts";
import { erasedMembers, isErased } from "./erased.ts";

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

/** Builds a donation from checked input: with a new id and the donator's key. */
export function newDonation(input: DonationInput, by: Pick<Principal, "streamerId" | "applicationId">, origin: Origin): NewDonation {
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

/**
 * Whether a request with a repeated idempotency key has the same donation. createdAt is compared as an instant; an absent one equals only an absent one.
 * Of an erased donation the members that are left are compared.
 */
export function isSameDonation(asked: NewDonation, stored: NewDonation | StoredDonation): boolean {
  const sameTime =
    asked.createdOffset === null || stored.createdOffset === null
      ? asked.createdOffset === stored.createdOffset
      : asked.createdAt === stored.createdAt;
  const left = isErased(stored) ? compared.filter((member) => !erasedMembers.includes(member)) : compared;
  return sameTime && left.every((member) => asked[member] === stored[member]);
}

/** A digest of what `isSameDonation` compares: equal for two requests that are the same donation. */
export function contentOf(donation: NewDonation): string {
  const time = donation.createdOffset === null ? null : donation.createdAt;
  return hash("sha256", JSON.stringify([time, ...compared.map((member) => donation[member])]), "base64url");
}

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
    alert: { ...alert, shownAt: alert.shownAt === null ? null : formatInstant(alert.shownAt) },
    createdAt: formatInstant(donation.createdAt, donation.createdOffset ?? 0),
    receivedAt: formatInstant(donation.receivedAt),
    voided: voided && { at: formatInstant(voided.at), reason: voided.reason },
  };
}

/** A member that can be posted and is not in the record does not compile: add it to the contract's Donation, or a reason here. */
export const notInRecord = {} satisfies Record<Exclude<keyof Schemas["ExternalDonation"], keyof DonationRecord>, string>;
