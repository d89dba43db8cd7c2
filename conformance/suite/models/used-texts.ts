// Rules about identifiers and idempotency keys that are so short that an earlier run may have used them. The interface does not say
// what a server answers to one that was used before, so it may refuse it.

import { randomInt } from "node:crypto";
import { expect, type TestContext } from "vitest";
import { uncounted } from "../client/traffic.ts";
import { evaluate } from "../values/broken-rules.ts";
import { freshKey } from "../values/donations.ts";
import { edgesOf } from "../values/edges.ts";
import { edge, tried } from "../values/score.ts";
import { createAny, donationWith, excerptOf, isAccepted } from "./verdicts.ts";

/**
 * Expects one of these valid values to be accepted. When all are refused and the server refuses every value that was used before, the
 * rule is not run. The digest of the run does not count the requests, because no seed decides the values.
 */
export async function acceptsUnused(context: TestContext, member: string, values: readonly string[]): Promise<void> {
  const answers: string[] = [];
  for (const value of values) {
    tried(member);
    const { body, reply } = await createWith(member, value);
    for (const name of edgesOf(Buffer.from(body))) edge(name);
    if (isAccepted(reply)) return;
    answers.push(`${JSON.stringify(value)}: ${excerptOf(reply)}`);
  }
  if (values.includes("") && (await isRefusedTwice(member)))
    context.skip(`not run: this server accepts each ${member} once, and an earlier run may have used the one of this rule`);
  throw new Error(`none of these values of ${member} is accepted\n  ${answers.join("\n  ")}`);
}

/**
 * The donation with an empty idempotencyKey, the same in every run. A server that accepts the key replays this donation, and answers any other
 * one as a conflict, which looks like a refusal of the key.
 */
export const donationWithEmptyKey = (): string =>
  donationWith({ idempotencyKey: '""' }, { donatorName: "สมชาย", amount: 20, skipAlert: true });

// CJK ideographs: one character in every unit of lengths.
const [firstCharacter, lastCharacter] = [0x3400, 0x9fff];

/** Different values of one character each, of so many that an earlier run has hardly used all of them. */
export function anyCharacters(count: number): string[] {
  const values = new Set<string>();
  while (values.size < count) values.add(String.fromCodePoint(randomInt(firstCharacter, lastCharacter)));
  return [...values];
}

async function isRefusedTwice(member: string): Promise<boolean> {
  const value = freshKey();
  const first = await createWith(member, value);
  const second = await createWith(member, value);
  return isAccepted(first.reply) && !isAccepted(second.reply);
}

async function createWith(member: string, value: string) {
  const body = donationWith({ [member]: JSON.stringify(value) });
  expect(evaluate(Buffer.from(body))).toEqual({ broken: [], open: [] });
  return { body, reply: await uncounted(() => createAny(body)) };
}
