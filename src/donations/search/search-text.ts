// Decides whether a donation contains a text, and computes the hashes of letters (grams) that the search index stores and looks up. Pure.

import { makeYield } from "../../base/async.ts";
import { foldPart } from "../../base/text.ts";
import { columnName } from "../columns.ts";
import type { DonationInput, NewDonation } from "../donation.ts";

/** The members of a donation that are searched. */
const searchedMembers = ["donatorName", "message", "identifier"] as const;
type SearchedMember = (typeof searchedMembers)[number];

export type Searched = Pick<NewDonation, SearchedMember>;

/** The searched members as a select list over `donations`. */
export const searchedColumns = searchedMembers.map((member) => `${columnName(member)} as "${member}"`).join(", ");

type TextMember = {
  [Member in keyof DonationInput]-?: string extends NonNullable<DonationInput[Member]> ? Member : never;
}[keyof DonationInput];

/** Texts of a donation that are not searched, each with the reason. A text of the contract that is neither here nor searched does not compile. */
export const notSearched = {
  idempotencyKey: "names the transaction, and is shown to one application alone",
  createdAt: "a time, for which there are filters",
} satisfies Record<Exclude<TextMember, SearchedMember>, string>;

const gramLengths = [1, 2, 3];

/** Hashes of one query; more would cost time and exclude no further block. */
const maxQueryGrams = 16;

/** Whether one of the searched members contains `term`, which must be folded. */
export function contains(donation: Searched, term: string): boolean {
  return searchedMembers.some((member) => foldPart(donation[member] ?? "").includes(term));
}

/** Hashes (int4) of every one, two and three consecutive letters in the searched members of these donations of one era. */
export async function gramsOf(streamerId: string, era: number, donations: readonly Searched[]): Promise<number[]> {
  const seeds = seedsOf(streamerId, era);
  const grams = new Set<number>();
  const letOthers = makeYield();
  for (const donation of donations) {
    await letOthers();
    for (const member of searchedMembers) {
      const text = donation[member];
      if (text) addGrams(grams, seeds, foldPart(text));
    }
  }
  return [...grams];
}

/** Hashes that a block of the era has when one of its donations contains `term`, which must be folded. Their number is the same in every era. */
export function queryGrams(streamerId: string, era: number, term: string): number[] {
  const letters = [...term].map(codePoint);
  const length = Math.min(letters.length, gramLengths.length);
  const seed = seedsOf(streamerId, era)[length - 1] as number;
  const grams = new Map<string, number>();
  for (let at = 0; at + length <= letters.length; at += 1) {
    const gram = letters.slice(at, at + length);
    grams.set(gram.join(), hash(seed, gram));
  }
  return pickEvenly([...grams.values()], maxQueryGrams);
}

function addGrams(grams: Set<number>, [one, two, three]: readonly number[], text: string): void {
  let before: number | undefined;
  let last: number | undefined;
  for (const letter of text) {
    const code = codePoint(letter);
    grams.add(mix(one as number, code));
    if (last !== undefined) grams.add(mix(mix(two as number, last), code));
    if (before !== undefined) grams.add(mix(mix(mix(three as number, before), last as number), code));
    before = last;
    last = code;
  }
}

function hash(seed: number, codes: readonly number[]): number {
  return codes.reduce(mix, seed);
}

/** One step of MurmurHash3 (x86, 32 bits), with its final avalanche: int4. */
function mix(seed: number, code: number): number {
  let value = seed ^ Math.imul(rotate(Math.imul(code, 0xcc9e2d51), 15), 0x1b873593);
  value = Math.imul(rotate(value, 13), 5) + 0xe6546b64;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return value ^ (value >>> 13);
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

/** A seed for each length of gram. It differs for each streamer and era, so that other donations do not make a list of blocks longer. */
function seedsOf(streamerId: string, era: number): number[] {
  const own = mix(hash(0, [...streamerId].map(codePoint)), era);
  return gramLengths.map((length) => mix(own, length));
}

function codePoint(letter: string): number {
  return letter.codePointAt(0) as number;
}

/** At most `count` of the items, evenly spread from the first to the last. */
function pickEvenly(items: number[], count: number): number[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * (items.length - 1)) / (count - 1))] as number);
}
