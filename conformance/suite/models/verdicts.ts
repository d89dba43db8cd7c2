// What profile `interface` demands of an answer, and of a case before it is sent. Status alone counts: the interface shows no more.

import { describe, expect, test } from "vitest";
import { create, expectFaults, recorded } from "../client/api.ts";
import { mismatch } from "../client/check-answer.ts";
import { holdsForAll } from "../client/holds.ts";
import { sendUnchecked } from "../client/http-client.ts";
import { showValue } from "../client/trace.ts";
import { answerTo, digits, parseDateTime } from "../contract/date-time.ts";
import type { Reply, Request } from "../contract/http-request.ts";
import { readJson, textOfString } from "../contract/json-text.ts";
import { type Evaluation, evaluate, onlyRule, type Rule, rules } from "../values/broken-rules.ts";
import { NotACase } from "../values/corpus.ts";
import { type Body, donation, freshIdentifier, freshName } from "../values/donations.ts";
import { edge, edgesOf, expectEdges, tried } from "../values/score.ts";

/** JSON text of members of a donation. */
type Texts = { [member: string]: string };

/** How the bytes of a body are sent. */
type Sending = Pick<Request, "chunked" | "cuts" | "pauseMs">;

/** The smallest valid donation that differs from every other in a member that the rule is not about: a server may refuse one that it has recorded. */
const unrepeated = (texts: Texts): Body =>
  "donatorName" in texts ? donation({ identifier: freshIdentifier() }) : donation({ donatorName: freshName() });

/** Bytes of a donation that is valid but for these members, which are given as JSON text. */
export const donationWith = (texts: Texts, base: Body = unrepeated(texts)): string => {
  const others = Object.entries(base).filter(([member, value]) => !(member in texts) && value !== undefined);
  const members = [...others.map(([member, value]) => [member, JSON.stringify(value)]), ...Object.entries(texts)];
  return `{${members.map(([member, text]) => `${JSON.stringify(member)}:${text}`).join(",")}}`;
};

/** Bytes of a donation that happened then. */
export const createdAt = (text: string): string => donationWith({ createdAt: JSON.stringify(text) });

/** The body breaks no rule and the server takes it: any 2xx. `field`: what the case is about. */
export async function expectAccepted(body: string | Uint8Array, field = "", how: Sending = {}): Promise<void> {
  const evaluation = evaluate(Buffer.from(body));
  if (evaluation.broken.length > 0) throw fault("this case should break no rule", evaluation);
  await answered(body, field, evaluation, how);
}

/** The body breaks this rule of the field and no other, and the server refuses it. */
export async function expectRefused(body: string | Uint8Array, field: string, rule: Rule): Promise<void> {
  const evaluation = evaluate(Buffer.from(body));
  const only = onlyRule(evaluation);
  if (only?.member !== field || !only.among.includes(rule)) throw fault(`this case should break one rule: ${field} ${rule}`, evaluation);
  await answered(body, field, evaluation);
}

/** A donation that happened then breaks one rule or none, and the server takes or refuses it accordingly. What the interface does not decide is not sent. */
export async function isAnsweredAsSpecified(text: string): Promise<void> {
  const body = createdAt(text);
  const evaluation = evaluate(Buffer.from(body));
  if (evaluation.open.length > 0) return;
  if (evaluation.broken.length > 0 && onlyRule(evaluation) === null) throw fault("this case should break one rule at most", evaluation);
  await answered(body, "createdAt", evaluation);
}

/** Sends the bytes as createDonation's body. The answer is not held against any contract. */
export const createAny = (body: string | Uint8Array, others: Partial<Request> = {}): Promise<Reply> =>
  sendUnchecked({
    method: "POST",
    path: "/api/v1/donations",
    body,
    ...others,
    headers: { "Content-Type": "application/json", ...others.headers },
  });

export const isAccepted = ({ status }: Reply): boolean => status >= 200 && status <= 299;

const notAboutTheRequest = [408, 429];

/** Any 4xx but those that ask to send it again: the interface shows no status of errors (interface 7). */
export const isRefused = ({ status }: Reply): boolean => status >= 400 && status <= 499 && !notAboutTheRequest.includes(status);

/** The answer refuses the request: `why` says in words for which reason it must. */
export function expectRefusal(reply: Reply, why: string): void {
  if (!isRefused(reply))
    throw mismatch(`a refusal (4xx) was expected ${why}, but the answer is ${excerptOf(reply)}`, {
      expected: "4xx, a refusal",
      actual: excerptOf(reply),
    });
}

/** The answer accepts the request: `why` says in words for which reason it must. */
export function expectAcceptance(reply: Reply, why: string): void {
  if (!isAccepted(reply))
    throw mismatch(`2xx was expected ${why}, but the answer is ${excerptOf(reply)}`, {
      expected: "2xx, accepted",
      actual: excerptOf(reply),
    });
}

export const excerptOf = ({ status, text }: Reply): string => `${status} ${text.slice(0, 500)}`.trimEnd();

async function answered(body: string | Uint8Array, field: string, evaluation: Evaluation, how: Sending = {}): Promise<void> {
  if (evaluation.open.length > 0) throw fault("the interface does not decide this case", evaluation);
  tried(field || "body");
  showValue(shownOf(body, field));
  const edges = edgesOf(Buffer.from(body));
  edges.forEach(edge);
  const only = onlyRule(evaluation);
  const reply = await createAny(body, how);
  if (only ? isRefused(reply) : isAccepted(reply)) return;
  const broken = only?.among.map((rule) => rules[rule]).join(", or ");
  const wanted = only
    ? `a refusal was expected (4xx; ${only.member || "body"}: ${broken})`
    : "every rule of interface 2.1 is kept, so 2xx was expected";
  const message = `${wanted}, but the answer is ${excerptOf(reply)}${edges.length > 0 ? `; the body has ${edges.join(", ")}` : ""}`;
  throw mismatch(message, { expected: only ? `4xx, a refusal\n${broken}` : "2xx, accepted", actual: excerptOf(reply) });
}

/** The text or number of the member that the case is about, as it is sent; else the whole body. */
function shownOf(body: string | Uint8Array, field: string): string {
  const { value } = readJson(Buffer.from(body));
  const member = value?.type === "object" ? new Map(value.members).get(field) : undefined;
  if (member?.type === "number") return member.text;
  return member?.type === "string" ? JSON.stringify(textOfString(member.codePoints)) : Buffer.from(body).toString("utf8");
}

const fault = (what: string, evaluation: Evaluation): Error =>
  new NotACase(`bug of the suite: ${what}; the oracle says ${JSON.stringify(evaluation)}`);

// Posts a date-time and expects what interface 2.2 says of it.

/** Posts a donation that happened then. */
export const postAt = (createdAt: string): Promise<Reply> => create(donation({ createdAt, skipAlert: true }));

/** Expects createdAt to be accepted exactly when the hand-written reading of interface 2.2 accepts it, and answered as the same instant. */
export async function expectAsSpecified(createdAt: string): Promise<void> {
  const read = parseDateTime(createdAt);
  const reply = await postAt(createdAt);
  if (read) expect(recorded(reply).createdAt, createdAt).toBe(answerTo(read));
  else expectFaults(reply, "/createdAt invalid_format");
}

// The rules of two digits of createdAt, such as a month or an hour.

/** Two digits of createdAt: from `first` to `last` they are accepted, all others refused for this rule. */
type TwoDigits = { first: number; last: number; rule: Rule; edge: string; cite: string };

/** `forms`: date-times that hold the two digits, each with a name. */
export function twoDigitRules(
  what: string,
  { first, last, rule, edge, cite }: TwoDigits,
  forms: Record<string, (digits: string) => string>,
): void {
  const judged = (at: (text: string) => string) => (value: number) =>
    value >= first && value <= last
      ? expectAccepted(createdAt(at(digits(value, 2))), "createdAt")
      : expectRefused(createdAt(at(digits(value, 2))), "createdAt", rule);

  describe.each(Object.entries(forms))(`createdAt, ${what} %s`, (form, at) => {
    test(`createdAt: ${what} ${digits(last, 2)} is accepted, ${digits(last + 1, 2)} refused, ${form} (interface ${cite})`, async () => {
      const edges = [...(first > 0 ? [first - 1] : []), first, last, last + 1];
      for (const value of edges) await judged(at)(value);
      expectEdges(edges.map((value) => `createdAt ${edge} ${digits(value, 2)}`));
    });

    test(`createdAt: every ${what} from 00 to 99 falls on its own side, ${form} (interface ${cite})`, () =>
      holdsForAll(
        Array.from({ length: 100 }, (_, value) => value),
        judged(at),
      ));
  });
}
