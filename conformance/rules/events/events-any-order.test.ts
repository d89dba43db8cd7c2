import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { create, recorded, replayed, voidDonation } from "../../suite/client/api.ts";
import { closeStreams, type Event, endOfLog, eventPageOf, followEvents, listEvents } from "../../suite/client/events/event-stream.ts";
import { holds } from "../../suite/client/holds.ts";
import { control, decide, freshQueue, replay } from "../../suite/client/overlay/alert-controls.ts";
import { type Picks, pick } from "../../suite/models/donation-state.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { edge, expectEdges } from "../../suite/values/score.ts";
import { replayedSteps } from "../../suite/values/target.ts";

// A streamer's log and its subscribers in any order of steps. The model is the list of what was done, in the order in which it was answered;
// whatever is read, from whatever cursor and with whatever filter, must be a part of it.

/** What the model knows of an event. */
type Known = { type: Event["type"]; donationId: string; isReplay: boolean };

/** A position that was received, and how many events of the model stand before it. */
type Mark = { cursor: string; place: number };

type EventsModelState = {
  log: Known[];
  marks: Mark[];
  donations: { id: string; body: object; isVoid?: true }[];
  /** Ids of donations whose alert waits, in the order in which they will be cleared: replays come first. */
  waiting: { id: string; isReplay: boolean }[];
};

type EventsCommand = fc.AsyncCommand<EventsModelState, object>;

type Step = { name: string; when?: (state: EventsModelState) => boolean; run: (state: EventsModelState, picks: Picks) => Promise<void> };

const types = ["donation.created", "donation.voided", "alert.skipped"] as const;
const filters: readonly (readonly Known["type"][])[] = [
  types,
  types,
  ["donation.created"],
  ["alert.skipped"],
  ["donation.voided"],
  ["goal.reached"],
];

const happened = (state: EventsModelState, type: Known["type"], donationId: string, isReplay = false): void =>
  void state.log.push({ type, donationId, isReplay });

/** The queue is paused, so an alert waits until it is cleared. */
async function record(state: EventsModelState, [, skipAlert = 0]: Picks): Promise<void> {
  const body = donation({ idempotencyKey: freshKey(), skipAlert: skipAlert % 2 === 0 });
  const { id } = recorded(await create(body));
  state.donations.push({ id, body });
  happened(state, "donation.created", id);
  if (skipAlert % 2 !== 0) state.waiting.push({ id, isReplay: false });
}

async function repeat({ donations }: EventsModelState, [which]: Picks): Promise<void> {
  const { id, body } = pick(donations, which);
  expect(replayed(await create(body)).id).toBe(id);
}

async function clear(state: EventsModelState): Promise<void> {
  expect((await control("clear")).status).toBe(200);
  // The alerts that one request ends have no order among each other that the contract fixes.
  const cleared = await unknownFrom(state, state.marks[0] as Mark);
  expect(sorted(cleared)).toEqual(sorted(state.waiting.map(({ id, isReplay }) => ({ type: "alert.skipped", donationId: id, isReplay }))));
  state.log.push(...cleared);
  state.waiting = [];
}

/** Skips the alert of one donation; a second time without another event. */
async function skipOne(state: EventsModelState, [which]: Picks): Promise<void> {
  const one = pick(state.waiting, which);
  for (let i = 0; i < 2; i += 1) expect((await decide(one.id, "skip")).status).toBe(200);
  happened(state, "alert.skipped", one.id, one.isReplay);
  state.waiting = state.waiting.filter((other) => other !== one);
}

const sorted = (events: readonly Known[]): Known[] => events.toSorted((a, b) => (a.donationId < b.donationId ? -1 : 1));

async function replayOne(state: EventsModelState, [which]: Picks): Promise<void> {
  const { id } = pick(idle(state), which);
  expect((await replay(id)).status).toBe(201);
  state.waiting.push({ id, isReplay: true });
}

const idle = ({ donations, waiting }: EventsModelState): { id: string }[] =>
  donations.filter(({ id, isVoid }) => !isVoid && waiting.every((one) => one.id !== id));

/** An alert that waits is skipped first. */
async function takeOneBack(state: EventsModelState, [which]: Picks): Promise<void> {
  const one = pick(
    state.donations.filter(({ isVoid }) => !isVoid),
    which,
  );
  expect((await voidDonation(one.id, { reason: "mistake" })).status).toBe(200);
  one.isVoid = true;
  const waiting = state.waiting.find(({ id }) => id === one.id);
  if (waiting) happened(state, "alert.skipped", one.id, waiting.isReplay);
  state.waiting = state.waiting.filter((other) => other !== waiting);
  happened(state, "donation.voided", one.id);
}

/** Reads all that follows a mark and is not in the model yet. */
async function unknownFrom(state: EventsModelState, { cursor, place }: Mark): Promise<Known[]> {
  const found: Known[] = [];
  for (let after = cursor; ; ) {
    const { data, pagination } = eventPageOf(await listEvents({ after, types, limit: 1000 }));
    found.push(...data.map(known));
    if (!pagination.hasMore) return found.slice(expected(state, place, types).length);
    after = pagination.nextCursor;
  }
}

function known({ type, data }: Event): Known {
  const { id, donationId, isReplay } = data as { id?: string; donationId?: string; isReplay?: boolean };
  return { type, donationId: (type.startsWith("donation.") ? id : donationId) ?? "", isReplay: isReplay ?? false };
}

const expected = ({ log }: EventsModelState, place: number, of: readonly Known["type"][]): Known[] =>
  log.slice(place).filter(({ type }) => of.includes(type));

async function listFrom(state: EventsModelState, [which, filter, limit = 0]: Picks): Promise<void> {
  const { cursor, place } = pick(state.marks, which);
  const of = pick(filters, filter);
  const following = expected(state, place, of);
  const size = 1 + (limit % 5);
  const { data, pagination } = eventPageOf(await listEvents({ after: cursor, types: of, limit: size }));
  expect(data.map(known)).toEqual(following.slice(0, size));
  expect(pagination.hasMore).toBe(following.length > size);
  const last = following.length > size ? state.log.lastIndexOf(following[size - 1] as Known) + 1 : state.log.length;
  state.marks.push({ cursor: pagination.nextCursor, place: last });
}

async function subscribe(state: EventsModelState, [which, filter, byHeader = 0, cut = 0]: Picks): Promise<void> {
  const { cursor, place } = pick(state.marks, which);
  const of = pick(filters, filter);
  const from = byHeader % 2 === 0 ? { lastEventId: cursor } : {};
  const stream = await followEvents({ query: { types: of, ...("lastEventId" in from ? {} : { after: cursor }) }, ...from });
  try {
    if (cut % 2 === 0) await record(state, [0, 0]); // while it is open
    const all = expected(state, place, of);
    const count = cut % 3 === 0 ? Math.min(1, all.length) : all.length; // or cut before it has got everything
    await stream.have(count);
    await stream.positioned();
    const got = stream.received.slice();
    expect(got.map(({ event }) => known(event))).toEqual(all.slice(0, got.length));
    for (const [index, { id }] of got.entries()) state.marks.push({ cursor: id, place: state.log.indexOf(all[index] as Known) + 1 });
  } finally {
    stream.close();
  }
}

const steps: Step[] = [
  { name: "record", run: record },
  { name: "record again", run: record },
  { name: "repeat a donation", when: ({ donations }) => donations.length > 0, run: repeat },
  { name: "clear the queue", run: clear },
  { name: "skip one alert", when: ({ waiting }) => waiting.length > 0, run: skipOne },
  { name: "replay an alert", when: (state) => idle(state).length > 0, run: replayOne },
  { name: "void a donation", when: ({ donations }) => donations.some(({ isVoid }) => !isVoid), run: takeOneBack },
  { name: "list a page from any cursor", run: listFrom },
  { name: "subscribe from any cursor, and cut", run: subscribe },
];

const eventStepNames = (): string[] => steps.map(({ name }) => name);

const eventCommands = (): fc.Arbitrary<Iterable<EventsCommand>> =>
  fc.commands(steps.map(command), { maxCommands: 30, size: "max", replayPath: replayedSteps() });

/** The log from now on; nothing else may happen to main's streamer meanwhile. */
async function newEventsModelState(): Promise<EventsModelState> {
  return { log: [], marks: [{ cursor: await endOfLog(), place: 0 }], donations: [], waiting: [] };
}

/** Expects the whole log from every mark, without a filter and with each. */
async function expectLog(state: EventsModelState): Promise<void> {
  await clear(state);
  for (const [which] of state.marks.slice(0, 20).entries()) for (const filter of filters.keys()) await listFrom(state, [which, filter, 4]);
  await subscribe(state, [0, 0, 0, 1]);
}

function command({ name, when = () => true, run }: Step): fc.Arbitrary<EventsCommand> {
  return fc.array(fc.nat(99), { minLength: 4, maxLength: 4 }).map((picks) => ({
    check: (state) => when(state as EventsModelState),
    run: async (state) => {
      await run(state, picks);
      edge(name);
    },
    toString: () => `${name} (${picks})`,
  }));
}

afterEach(async () => {
  closeStreams();
  await freshQueue();
});

test("donations, replays, voids, cleared alerts, pages and subscriptions from any cursor in any order give what a plain list says", async () => {
  await holds(
    eventCommands(),
    async (some: Iterable<EventsCommand>) => {
      await freshQueue();
      await control("pause"); // an alert waits until it is cleared
      const state = await newEventsModelState();
      await fc.asyncModelRun(() => ({ model: state, real: {} }), some);
      await expectLog(state);
    },
    { runs: 20, concurrency: 1 },
  );
  expectEdges(eventStepNames());
});
