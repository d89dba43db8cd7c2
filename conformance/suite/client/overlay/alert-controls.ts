// Requests to a streamer's alert queue, its controls and settings, and to the timer.

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { components } from "../../../../generated/api.d.ts";
import type { Reply, Request } from "../../contract/http-request.ts";
import { type Body, donation } from "../../values/donations.ts";
import { endAsNotRun } from "../../values/running.ts";
import { target } from "../../values/target.ts";
import { create, type Donation, list, pageOf, recorded } from "../api.ts";
import { type Event, listAllEvents } from "../events/event-stream.ts";
import { send } from "../http-client.ts";
import { isRecordedHere } from "../protection/guard.ts";

export type Queue = components["schemas"]["AlertQueue"];
type Settings = components["schemas"]["AlertSettings"];
type Options = Omit<Request, "path" | "body" | "method">;

/** What settings are before a streamer changes them: an own statement of the interface, since the suite reads nothing of `src/`. */
export const defaults: Settings = {
  minimumAmount: 0,
  blockedWords: [],
  volume: 80,
  speech: true,
  minimumSeconds: 6,
  maximumSeconds: 30,
  pauseSeconds: 0,
  fasterFrom: 0,
  askFrom: 0,
  speechMinimumAmount: 0,
  speechVolume: null,
  speechSpeed: 1,
  voice: null,
  blockedWordAction: "skip",
  approval: "off",
  approvalSeconds: 120,
  onTimeout: "drop",
  goal: null,
  goals: [],
  variations: [],
};

export const queue = (options: Options = {}): Promise<Reply> => send({ path: "/api/v1/alerts", ...options });

export const control = (name: "pause" | "resume" | "skip" | "clear" | "hide" | "unhide", options: Options = {}): Promise<Reply> =>
  send({ method: "POST", path: `/api/v1/alerts/${name}`, ...options });

export const decide = (donationId: string, name: "approve" | "mask" | "deny" | "skip" | "next", options: Options = {}): Promise<Reply> =>
  send({ method: "POST", path: `/api/v1/alerts/${donationId}/${name}`, ...options });

export const sendTest = (body: unknown, options: Options = {}): Promise<Reply> => withBody("POST", "/api/v1/alerts/test", body, options);

export const replay = (donationId: string, options: Options = {}): Promise<Reply> =>
  send({ method: "POST", path: `/api/v1/donations/${donationId}/replay`, ...options });

export const settings = (options: Options = {}): Promise<Reply> => send({ path: "/api/v1/alerts/settings", ...options });

export const change = (body: unknown, options: Options = {}): Promise<Reply> => withBody("PATCH", "/api/v1/alerts/settings", body, options);

/** The queue of an answer. */
export function queueOf(reply: Reply): Queue {
  expect(reply.status, reply.text).toBe(200);
  return (reply.body as { data: Queue }).data;
}

/** The settings of an answer. */
export function settingsOf(reply: Reply): Settings {
  expect(reply.status, reply.text).toBe(200);
  return (reply.body as { data: Settings }).data;
}

/** A `createdAt` after those of all donations so far: almost as far ahead as widgets show donations among the recent ones. */
export const latestCreatedAt = (): string => new Date(Date.now() + 86_300_000).toISOString();

/** Records a donation with an alert, even on a server that is not ours. */
export const donate = async (members: Body = {}, options: Options = {}): Promise<Donation> =>
  recorded(await create(donation({ skipAlert: false, ...members }), options));

/**
 * Empties the queue and sets the settings back to their defaults. Pauses meanwhile, so that nothing new is handed out; an alert that a
 * just closed page had may return to the queue once.
 */
export async function freshQueue(options: Options = {}): Promise<void> {
  await change(defaults, options);
  await control("pause", options);
  const isEmpty = async (): Promise<boolean> => {
    for (const step of ["skip", "clear"] as const) await control(step, options);
    const { playing, waitingCount } = queueOf(await queue(options));
    return playing === null && waitingCount === 0;
  };
  if (!(await isEmpty())) await expect.poll(isEmpty).toBe(true); // a poll would go on where the queue must be left alone
  await untilLeft(options);
  await control("unhide", options);
  await control("resume", options);
}

/** A busy server notices late that the page of the rule before has gone, and would hand it an alert. A page of somebody else's stays. */
async function untilLeft(options: Options): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (queueOf(await queue(options)).connected && performance.now() < deadline) await sleep(50);
}

/**
 * Ends the rule as "not run" where somebody else has donated to the streamer within the last minute, on a server of someone else: sums and lists
 * that the rule expects to the satang may change meanwhile.
 */
export async function expectNoOtherDonations(): Promise<void> {
  if (!target().foreign) return;
  const reply = await list({ limit: 1, sort: "-receivedAt", status: "all", source: ["external", "native", "test"] });
  const [newest] = pageOf(reply).data;
  const age = Date.parse(String(reply.headers.date)) - Date.parse(newest?.receivedAt ?? "");
  if (newest && age < 60_000 && !(await isRecordedHere(newest.id))) endAsNotRun("somebody else donates to the streamer during the run");
}

// Requests to a streamer's timer.

type Timer = components["schemas"]["Timer"];

/** A second for every baht, and nothing else. */
export const secondPerBaht = {
  steps: [{ from: 0, seconds: 1, per: 1 }],
  maximumSeconds: null,
  countTests: false,
  countImports: false,
};

export const getTimer = (options: Options = {}): Promise<Reply> => send({ path: "/api/v1/timer", ...options });

export const controlTimer = (name: "pause" | "resume" | "end", options: Options = {}): Promise<Reply> =>
  send({ method: "POST", path: `/api/v1/timer/${name}`, ...options });

export const startTimer = (body: unknown, options: Options = {}): Promise<Reply> => withBody("POST", "/api/v1/timer/start", body, options);

export const adjustTimer = (body: unknown, options: Options = {}): Promise<Reply> =>
  withBody("POST", "/api/v1/timer/adjust", body, options);

export const changeTimerRules = (body: unknown, options: Options = {}): Promise<Reply> =>
  withBody("PATCH", "/api/v1/timer/rules", body, options);

/** The timer of an answer. */
export function timerOf(reply: Reply): Timer {
  expect(reply.status, reply.text).toBe(200);
  return (reply.body as { data: Timer }).data;
}

/** Ends the timer that there is, and starts one of an hour that gets a second for every baht. */
export async function freshTimer(options: Options, rules: object = {}, seconds = 3_600): Promise<Timer> {
  await controlTimer("end", options);
  return timerOf(await startTimer({ seconds, rules: { ...secondPerBaht, ...rules } }, options));
}

/** Donates, and resolves to the donation and to the milliseconds by which the timer's whole time has changed. */
export async function addedBy(amount: number, options: Options, members: object = {}): Promise<{ one: Donation; addedMs: number }> {
  const before = timerOf(await getTimer(options));
  const one = recorded(await create(donation({ amount, skipAlert: true, ...members }), options));
  return { one, addedMs: timerOf(await getTimer(options)).totalMs - before.totalMs };
}

/** What an event says of the donation's alert, which is no replay and was not skipped; its status is added. */
export const alertDataOf = ({ id: donationId, donatorName, amount, currency, message, source }: Donation) => ({
  ...{ donationId, donatorName, amount, currency, message, source },
  ...{ reason: null, isTest: false, isReplay: false },
});

/** The streamer's events of the timer, oldest first. */
export const timerEvents = (options: Options): Promise<Event[]> =>
  listAllEvents({ types: ["timer.started", "timer.changed", "timer.ended"] }, options);

const withBody = (method: string, path: string, body: unknown, { headers, ...options }: Options): Promise<Reply> =>
  send({ method, path, ...options, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
