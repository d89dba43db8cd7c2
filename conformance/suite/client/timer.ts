// Requests to a streamer's timer.

import { expect } from "vitest";

import type { components } from "../../../generated/api.d.ts";
import type { Reply, Request } from "../contract/http-request.ts";
import { donation } from "../values/donations.ts";
import { create, type Donation, recorded } from "./api.ts";
import { type Event, listAllEvents } from "./events/event-stream.ts";
import { send } from "./http-client.ts";

export type Timer = components["schemas"]["Timer"];
type Options = Omit<Request, "path" | "body" | "method">;

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

export const startTimer = (body: unknown, options: Options = {}): Promise<Reply> => withBody("POST", "start", body, options);

export const adjustTimer = (body: unknown, options: Options = {}): Promise<Reply> => withBody("POST", "adjust", body, options);

export const changeTimerRules = (body: unknown, options: Options = {}): Promise<Reply> => withBody("PATCH", "rules", body, options);

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

/** The streamer's events of the timer, oldest first. */
export const timerEvents = (options: Options): Promise<Event[]> =>
  listAllEvents({ types: ["timer.started", "timer.changed", "timer.ended"] }, options);

const withBody = (method: string, name: string, body: unknown, { headers, ...options }: Options): Promise<Reply> =>
  send({
    ...{ method, path: `/api/v1/timer/${name}`, ...options },
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
