// Wrong answers to idempotency keys and to what is sent twice.

import { at, changeJson, jsonOf, type Mutants, set, wrong } from "../mutant.ts";
import type { Answer, ProxiedRequest } from "../proxy.ts";

const on = "createDonation";

/** The idempotency key of a request; undefined without one. */
const keyOf = (request: ProxiedRequest): string | undefined => {
  const key = jsonOf(request)?.idempotencyKey;
  return typeof key === "string" && key !== "" ? key : undefined;
};

const senderOf = ({ headers }: ProxiedRequest): string => String(headers.authorization);

/** A server that compares what is repeated without this member: it takes the one that was sent first. */
const comparedWithout = (member: string, broken: string, title: RegExp) => {
  const first = (answer: Answer | undefined): unknown => (answer ? jsonOf(answer)?.[member] : undefined);
  return wrong({
    broken,
    on,
    instead: async (request, send, memory) => {
      const key = keyOf(request);
      if (key === undefined) return send(request);
      const known = memory.get(`${senderOf(request)} ${key}`);
      if (!known) memory.set(`${senderOf(request)} ${key}`, { status: 0, headers: {}, body: request.body });
      return send(
        known ? { ...request, body: changeJson(request.body, (body) => ({ ...(body as object), [member]: first(known) })) } : request,
      );
    },
    killedBy: [["donations/idempotency", title]],
  });
};

export const idempotency: Mutants = {
  "key-ignored": wrong({
    broken: "a repeated idempotency key records another donation",
    on,
    sent: at<string>("idempotencyKey", (key) =>
      typeof key === "string" && key !== "" && [...key].length < 60 ? `${key}${crypto.randomUUID()}` : key,
    ),
    killedBy: [["donations/idempotency", /same idempotency key and donation again/]],
  }),
  "key-folded": wrong({
    broken: "idempotency keys that differ in case alone are one key",
    on,
    sent: at<string>("idempotencyKey", (key) => (typeof key === "string" ? key.toLowerCase() : key)),
    killedBy: [["donations/idempotency", /compared exactly/]],
  }),
  "key-of-everybody": wrong({
    broken: "answers are replayed by the idempotency key alone, for every sender",
    on,
    instead: async (request, send, memory) => {
      const key = keyOf(request);
      const known = key === undefined ? undefined : memory.get(key);
      const answer = known ?? (await send(request));
      if (key !== undefined && answer.status === 201) memory.set(key, answer);
      return answer;
    },
    killedBy: [
      ["donations/idempotency", /belongs to its application: another one/],
      ["donations/idempotency", /belongs to its streamer/],
    ],
  }),
  "key-burnt": wrong({
    broken: "refusals are replayed under an idempotency key as well",
    on,
    instead: async (request, send, memory) => {
      const key = keyOf(request);
      const known = key === undefined ? undefined : memory.get(senderOf(request) + key);
      const answer = known ?? (await send(request));
      if (key !== undefined && answer.status >= 400) memory.set(senderOf(request) + key, answer);
      return answer;
    },
    killedBy: [["donations/idempotency", /a refused request uses up no idempotency key/]],
  }),
  "key-0-empty": wrong({
    broken: 'the idempotencyKey "0" counts as empty',
    on,
    sent: at("idempotencyKey", (key) => (key === "0" ? undefined : key)),
    killedBy: [["donations/idempotency", /the idempotency key "0" is a key as any other/]],
  }),
  "key-in-a-header": wrong({
    broken: "the header Idempotency-Key is the idempotency key of a donation without one",
    on,
    sent: (body, { headers }) =>
      headers["idempotency-key"] ? { idempotencyKey: String(headers["idempotency-key"]), ...(body as object) } : body,
    killedBy: [["donations/idempotency", /the header Idempotency-Key is no idempotency key/]],
  }),
  "replay-unmarked": wrong({
    broken: "a replay has no Idempotent-Replayed header",
    on,
    headers: { "idempotent-replayed": null },
    killedBy: [["donations/idempotency", /same idempotency key and donation again/]],
  }),
  "replay-created": wrong({
    broken: "a replay is answered 201 instead of 200",
    on,
    status: { 200: 201 },
    killedBy: [["donations/idempotency", /same idempotency key and donation again/]],
  }),
  "replay-as-it-was": wrong({
    broken: "a replay answers the donation as it stood when it was recorded",
    on,
    when: ({ status }) => status === 200,
    answer: at("data.alert", (alert) => ({ ...(alert as object), status: "queued", reason: null, shownAt: null })),
    killedBy: [["alerts/alert-states", /waiting, playing, shown, shown again/]],
  }),
  "replay-void-unsaid": wrong({
    broken: "the answer to a donation that is repeated after it was voided does not say so",
    on,
    answer: set("data", { voided: null }),
    killedBy: [["donations/idempotency", /after it was voided/]],
  }),
  "conflict-accepted": wrong({
    broken: "another donation under a used idempotency key is answered as the first was",
    on,
    instead: async (request, send, memory) => {
      const key = String(keyOf(request));
      const answer = await send(request);
      if (answer.status === 201) memory.set(key, answer);
      return answer.status === 422 ? (memory.get(key) ?? answer) : answer;
    },
    killedBy: [["donations/bursts", /16 different concurrent donations/]],
  }),
  "comparison-without-skip-alert": comparedWithout(
    "skipAlert",
    "skipAlert is not compared when an idempotency key is repeated",
    /another skipAlert is refused with 422/,
  ),
  "comparison-without-identifier": comparedWithout(
    "identifier",
    "identifier is not compared when an idempotency key is repeated",
    /another identifier is refused with 422/,
  ),
  "adjustment-of-everybody": wrong({
    broken: "an adjustment of the timer is repeated by its key alone, for every application",
    on: "adjustTimer",
    instead: async (request, send, memory) => {
      const key = String(keyOf(request));
      const known = memory.get(key);
      const answer = known && known.headers.sender !== senderOf(request) ? known : await send(request);
      if (answer.status === 200) memory.set(key, { ...answer, headers: { ...answer.headers, sender: senderOf(request) } });
      return answer;
    },
    killedBy: [["alerts/timer", /belongs to its application/]],
  }),
  "import-burns-keys": wrong({
    broken: "the keys of donations that an import has refused are used up",
    on: "importDonations createDonation",
    instead: async (request, send, memory) => {
      const sent = jsonOf(request);
      const keys = ((sent?.donations ?? []) as { idempotencyKey?: unknown }[]).map((one) => String(one?.idempotencyKey));
      const answer = memory.get(String(keyOf(request))) ?? (await send(request));
      const { outcomes = [] } = (jsonOf(answer)?.data ?? {}) as { outcomes?: { status: number }[] };
      for (const [index, { status }] of outcomes.entries()) if (status === 400) memory.set(String(keys[index]), { ...answer, status: 422 });
      return answer;
    },
    killedBy: [["donations/import-donations", /import as JSON uses up no idempotency key/]],
  }),
  "written-twice": wrong({
    broken: "a donation without an idempotency key is recorded twice",
    on,
    instead: async (request, send) => {
      const first = await send(request);
      return first.status === 201 && keyOf(request) === undefined ? send(request) : first;
    },
    killedBy: [["donations/list-donations", /streamer and of no other/]],
  }),
  "replay-of-another-id": wrong({
    broken: "a replay is answered with another id",
    on,
    when: ({ status }) => status === 200,
    answer: at("data.id", () => "01932f6e-8a00-7000-8000-3f1e5a7c9b21"),
    killedBy: [["donations/donations-any-order", /in any order give what a plain model computes/]],
  }),
  "conflict-spoils-the-first": wrong({
    broken: "once another donation was refused under an idempotency key, the first one is refused as well",
    on,
    instead: async (request, send, memory) => {
      const key = `${senderOf(request)} ${keyOf(request)}`;
      const answer = memory.get(key) ?? (await send(request));
      if (answer.status === 422) memory.set(key, answer);
      return answer;
    },
    killedBy: [["donations/idempotency", /with another amount is refused with 422, and nothing changes/]],
  }),
  "used-key-before-rules": wrong({
    broken: "what breaks a rule is answered with the first donation when its idempotency key was used",
    on,
    instead: async (request, send, memory) => {
      const key = `${senderOf(request)} ${keyOf(request)}`;
      const answer = await send(request);
      if (answer.status === 201) memory.set(key, { ...answer, body: request.body });
      const known = answer.status === 400 && keyOf(request) !== undefined ? memory.get(key) : undefined;
      return known ? send({ ...request, body: known.body }) : answer;
    },
    killedBy: [["donations/idempotency", /refused for the same fault under a used one/]],
  }),
  "keys-of-any-operation": wrong({
    broken: "an idempotency key that a donation has used is refused for an adjustment of the timer",
    on: "createDonation adjustTimer",
    instead: async (request, send, memory) => {
      const key = `${senderOf(request)} ${keyOf(request)}`;
      const answer = await send(request);
      if (keyOf(request) && request.path === "/api/v1/donations") memory.set(key, answer);
      return request.path !== "/api/v1/donations" && memory.has(key) ? { ...answer, status: 422 } : answer;
    },
    killedBy: [["alerts/timer", /an idempotency key of a donation is free/]],
  }),
};
