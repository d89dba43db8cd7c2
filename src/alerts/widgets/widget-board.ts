// The data that the widgets of one streamer show. It is read when something has changed, at most a few times a second, and once for
// all connections of the streamer. With it goes what the streamer has chosen for each overlay key. Names and messages that the
// settings or a moderator keep off the stream are hidden.

import { setTimeout as sleep } from "node:timers/promises";
import type { KeyWidget, OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import { makeYield } from "../../base/async.ts";
import type { Schemas } from "../../http/operations.ts";
import { shownTexts } from "../queue/filter.ts";
import type { Overlay } from "../queue/overlay.ts";
import type { Goal } from "../settings/goals.ts";
import { mayHold, type Settings } from "../settings/settings.ts";
import type { Times } from "../timeouts.ts";

/** What a reading must include. `texts`: names what decides which names and messages may be seen. */
type Wanted = { sequence: number; goals: readonly Goal[]; texts: string };

export type WidgetBoard = {
  /** The last reading; null before the first. */
  current: () => Schemas["Widgets"] | null;
  /** Reads again if the last reading does not include this. */
  want: (wanted: Wanted) => void;
  /** The same; resolves when a reading includes it, rejects when a reading fails. */
  include: (wanted: Wanted) => Promise<void>;
  /** Reads again if the last reading is no longer valid: its sums of today and this month end at midnight. */
  refresh: () => void;
  close: () => void;
};

/** `sequence`: that of the last donation that the reading includes. */
type ReadBoard = (goals: readonly Goal[]) => Promise<WidgetReading & { sequence: number }>;

type Reading = WidgetReading & { sequence: number; goals: string; texts: string };
type Waiter = { sequence: number; resolve: () => void; reject: (error: unknown) => void };

type State = {
  readonly read: ReadBoard;
  readonly onChange: () => void;
  readonly times: Times;
  last: Reading | null;
  wanted: Wanted;
  waiters: Waiter[];
  isRunning: boolean;
  isClosed: boolean;
  startedAt: number;
};

export function makeWidgetBoard(read: ReadBoard, onChange: () => void, times: Times): WidgetBoard {
  const state: State = {
    ...{ read, onChange, times },
    last: null,
    wanted: { sequence: 0, goals: [], texts: "" },
    waiters: [],
    isRunning: false,
    isClosed: false,
    startedAt: Number.NEGATIVE_INFINITY,
  };
  return {
    current: () => state.last?.widgets ?? null,
    want: (wanted) => want(state, wanted),
    include: (wanted) => include(state, wanted),
    refresh: () => want(state, state.wanted),
    close: () => {
      state.isClosed = true;
      resolveWaiters(state);
    },
  };
}

function want(state: State, { sequence, goals, texts }: Wanted): void {
  state.wanted = { sequence: Math.max(sequence, state.wanted.sequence), goals, texts };
  if (!state.isRunning && !includes(state, state.wanted)) void run(state);
}

function include(state: State, wanted: Wanted): Promise<void> {
  return new Promise((resolve, reject) => {
    state.waiters.push({ sequence: wanted.sequence, resolve, reject });
    want(state, wanted);
    resolveWaiters(state);
  });
}

async function run(state: State): Promise<void> {
  state.isRunning = true;
  while (!state.isClosed && !includes(state, state.wanted)) {
    await pause(state.startedAt + state.times.widgetIntervalMs - performance.now());
    if (!state.isClosed) await readOnce(state);
  }
  state.isRunning = false;
}

async function readOnce(state: State): Promise<void> {
  const { goals, texts } = state.wanted;
  state.startedAt = performance.now();
  try {
    const reading = await state.read(goals);
    state.last = { ...reading, widgets: unlessSame(state.last?.widgets, reading.widgets), goals: JSON.stringify(goals), texts };
  } catch (error) {
    rejectWaiters(state, error);
    return pause(state.times.retryDelayMs);
  }
  resolveWaiters(state);
  if (!state.isClosed) state.onChange();
}

/** The figures that pages have, when only the time of reading differs: a moved alert raises the sequence and changes no figure. */
function unlessSame(known: Widgets | undefined, read: Widgets): Widgets {
  return known && figures(known) === figures(read) ? known : read;
}

/** Without what only the time that passes changes. */
function figures({ asOf, timer, ...widgets }: Widgets): string {
  return JSON.stringify([widgets, timer && { ...timer, remainingMs: timer.endsAt ?? timer.remainingMs }]);
}

/** The widgets as they are sent now: a timer that runs has less left than when it was read. */
export function sentWidgets(widgets: Widgets, { clockAheadMs }: Overlay): Widgets {
  const { timer } = widgets;
  if (!timer?.endsAt) return widgets;
  const remainingMs = Math.max(0, Math.round(Date.parse(timer.endsAt) - Date.now() - clockAheadMs));
  return { ...widgets, timer: { ...timer, remainingMs } };
}

type Widgets = WidgetReading["widgets"];

function includes({ last }: State, { sequence, goals, texts }: Wanted): boolean {
  if (last === null || last.sequence < sequence || last.texts !== texts) return false;
  return last.goals === JSON.stringify(goals) && Date.now() < last.validUntil;
}

/** Those whose donation is included now, with the present goals and texts; all of them once the board is closed. */
function resolveWaiters(state: State): void {
  const { isClosed, wanted, waiters } = state;
  const done = waiters.filter(({ sequence }) => isClosed || includes(state, { ...wanted, sequence }));
  state.waiters = waiters.filter((waiter) => !done.includes(waiter));
  for (const { resolve } of done) resolve();
}

function rejectWaiters(state: State, error: unknown): void {
  const { waiters } = state;
  state.waiters = [];
  for (const { reject } of waiters) reject(error);
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await sleep(ms);
}

/** What the streamer has chosen for an overlay key, as its pages are told. */
export type KeySettings = Readonly<{ widget: Schemas["WidgetSettings"] | null; sound: Schemas["OverlaySound"] }>;

/** `changes`: `overlays.widget_changes` when they were read. */
export type KnownKeys = Readonly<{ changes: number; byKey: ReadonlyMap<string, KeySettings> }>;

/** What the streamer has chosen for these overlay keys. */
export type SettingsOfKeys = (keyIds: readonly string[]) => Promise<ReadonlyMap<string, Pick<OverlayKeyEntry, "widget" | "sound">>>;

export const noKeys: KnownKeys = { changes: 0, byKey: new Map() };

/** The settings of these keys: as they are known, or read again after a change. */
export async function readKeySettings(
  known: KnownKeys,
  { changes, keyIds }: { changes: number; keyIds: readonly string[] },
  settingsOfKeys: SettingsOfKeys,
): Promise<KnownKeys> {
  if (known.changes === changes && keyIds.every((id) => known.byKey.has(id))) return known;
  const stored = await settingsOfKeys([...new Set(keyIds)]);
  const told = (id: string): KeySettings => {
    const { widget = null, sound = "leader" } = stored.get(id) ?? {};
    return { widget: widget && widgetSettings(widget), sound };
  };
  return { changes, byKey: new Map(keyIds.map((id) => [id, told(id)])) };
}

function widgetSettings({ kind, parameters }: KeyWidget): Schemas["WidgetSettings"] {
  return { kind, query: String(new URLSearchParams(parameters)) };
}

/** The widgets' data, and until when (milliseconds since 1970) it is valid if there is no donation: sums of today end at midnight. */
type WidgetReading = { widgets: Schemas["Widgets"]; validUntil: number };

export type ReadWidgets = (streamerId: string, goals: readonly Goal[]) => Promise<WidgetReading>;

/** What the widgets' reading must include. Where alerts are approved, every change of the queue may be a decision. */
export function wantedOf({ lastSequence, settings, version }: Overlay): Wanted {
  const { goals, blockedWords, blockedWordAction } = settings;
  const texts = JSON.stringify([blockedWords, blockedWordAction, mayHold(settings) ? version : 0]);
  return { sequence: lastSequence, goals, texts };
}

/** Ids of the donations that widgets show one by one. */
export function shownIds({ recent, largest }: Widgets): string[] {
  return [...recent, ...Object.values(largest)].flatMap((donation) => (donation ? [donation.donationId] : []));
}

/** The widgets as they may be seen. `unseen`: ids of donations whose name and message are hidden; their amounts count. */
export async function seenWidgets(widgets: Widgets, settings: Settings, unseen: ReadonlySet<string>): Promise<Widgets> {
  const letOthers = makeYield();
  const seen = async <T extends { donatorName: string; message?: string }>(one: T, masked: boolean): Promise<T> => {
    await letOthers();
    const { donatorName, message } = shownTexts({ donatorName: one.donatorName, message: one.message ?? "", masked }, hiding(settings));
    return { ...one, donatorName, ...(one.message !== undefined && { message }) };
  };
  const donation = (one: Schemas["RecentDonation"]) => seen(one, unseen.has(one.donationId));
  const largest = async (one: Schemas["RecentDonation"] | null) => one && donation(one);
  const donators = (list: Schemas["WidgetDonator"][]) => Array.fromAsync(list, (one) => seen(one, false));
  const { topOf } = widgets;
  return {
    ...widgets,
    recent: await Array.fromAsync(widgets.recent, donation),
    top: await donators(widgets.top),
    topOf: { day: await donators(topOf.day), week: await donators(topOf.week), month: await donators(topOf.month) },
    largest: {
      day: await largest(widgets.largest.day),
      week: await largest(widgets.largest.week),
      month: await largest(widgets.largest.month),
      all: await largest(widgets.largest.all),
    },
  };
}

/** An alert with a blocked word is left out or held, but a donation counts: its text is hidden. */
function hiding(settings: Settings): Settings {
  const { blockedWordAction: action } = settings;
  return action === "skip" || action === "hold" ? { ...settings, blockedWordAction: "mask_text" } : settings;
}
