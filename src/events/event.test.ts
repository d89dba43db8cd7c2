import { expect, test } from "vitest";
import { someRecord } from "../donations/testing.ts";
import { enumOf, eventTypes, maxLengthOf, readContract } from "../http/contract/published.ts";
import { type EventType, toEvent } from "./event.ts";

const maxEventBytes = 20_000;

type Schema = Readonly<{ $ref?: string; anyOf?: readonly Schema[]; maxLength?: number; properties?: Readonly<Record<string, Schema>> }>;
const schemas: Readonly<Record<string, Schema>> = readContract().components.schemas;

/** The bound of a member in code points, if it is a text that has one. */
function boundOf(member: Schema): number | undefined {
  const [first = member] = member.anyOf ?? [];
  return first.$ref ? schemas[first.$ref.split("/").at(-1) ?? ""]?.maxLength : first.maxLength;
}

/** The texts of a donation, each as long as it may be. */
function longestTexts(character: string): Record<string, string> {
  const bounds = Object.entries(schemas.Donation?.properties ?? {}).map(([member, schema]) => [member, boundOf(schema)] as const);
  return Object.fromEntries(bounds.flatMap(([member, bound]) => (bound ? [[member, character.repeat(bound)]] : [])));
}

function longest<Value extends string>(values: readonly Value[]): Value | undefined {
  return values.toSorted((a, b) => b.length - a.length)[0];
}

/** What the log holds beside the donation. */
function longestDetails(type: EventType, character: string): object {
  if (type === "goal.reached")
    return { title: character.repeat(maxLengthOf("goalTitle")), target: 999_999_999.99, from: "2026-11-01", current: 999_999_999.99 };
  if (type.startsWith("donation.")) return {};
  return { status: longest(enumOf("AlertStatus")), reason: longest(enumOf("SkipReason")), isReplay: false };
}

const id = "01932f6e-8a00-7000-8000-3f1e5a7c9b21";

test.each([
  ["of four bytes each", "😀"],
  ["that JSON writes with six bytes each", "\u0001"],
])("an event of any type, with texts at their bounds in characters %s, has less than 20 kB", (_, character) => {
  const texts = longestTexts(character);
  expect(Object.keys(texts)).toEqual(expect.arrayContaining(["donatorName", "message", "identifier", "idempotencyKey"]));
  const voided = { at: "2026-11-20T12:30:01.482Z", reason: longest(enumOf("VoidReason")) ?? "test" };
  const record = someRecord({ ...texts, amount: 999_999.123456789, voided });
  const sizeOf = (type: EventType) => {
    const donationFor = type === "goal.reached" ? null : () => record;
    const logged = {
      position: 1,
      id,
      type,
      at: 1_763_640_000_000,
      donationId: id,
      donationFor,
      isImported: false,
      details: { ...longestDetails(type, character) },
    };
    return Buffer.byteLength(JSON.stringify(toEvent(logged, "anyone")));
  };
  const sizes = Object.fromEntries(eventTypes.map((type) => [type, sizeOf(type)]));
  expect(sizes["donation.created"]).toBeGreaterThan((4 * Object.values(texts).join("").length) / character.length);
  expect(Object.entries(sizes).filter(([, bytes]) => bytes >= maxEventBytes)).toEqual([]);
});
