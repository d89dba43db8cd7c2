// Pages and widgets, the timer among them: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

export const studio: Mutants = {
  "widget-settings-overwritten": {
    broken: "settings of a widget that were changed elsewhere are overwritten",
    edit: {
      file: "src/studio/overlay/widget.ts",
      from: "const isCurrent = version === versionOf(widget) ||",
      to: "const isCurrent = true ||",
    },
    killedBy: [["overlay/studio", /older than the stored settings/]],
  },
  "widget-settings-unannounced": {
    broken: "pages that are open are not told of changed settings of their widget",
    edit: {
      file: "src/studio/open-studio.ts",
      from: "change((trx) => overlay.noteWidgetChange(trx, streamerId));",
      to: "change(async () => {});",
    },
    killedBy: [["overlay/studio", /reaches the open pages of its key/]],
  },
  "created-as-it-is": {
    broken: "the event of a recorded donation shows the donation as it is now: void",
    edit: {
      file: "src/donations/rows.ts",
      from: `"receivedAt", d.sequence\`;

/** Reads a row of \`selectedAsRecorded\`. */
export function fromRowAsRecorded(row: Omit<DonationRow, LaterColumn>): StoredDonation {
  return fromRow({
    ...row,
    alertStatus: row.skipAlert ? null : "queued",
    alertReason: null,
    alertShownAt: null,
    alertMasked: false,
    voidedAt: null,
    voidReason: null,
  });`,
      to: `"receivedAt", d.sequence, to_millis(d.voided_at) as "voidedAt", d.void_reason as "voidReason"\`;

export function fromRowAsRecorded(row: Omit<DonationRow, LaterColumn>): StoredDonation {
  const { voidedAt, voidReason } = row as DonationRow;
  const alert = { alertStatus: row.skipAlert ? null : "queued", alertReason: null, alertShownAt: null, alertMasked: false } as const;
  return fromRow({ ...row, ...alert, voidedAt, voidReason });`,
    },
    killedBy: [["events/list-events", /stays as the donation was recorded/]],
  },
  "recent-with-void-ones": {
    broken: "the recent donations of the widgets hold void ones",
    edit: { file: "src/alerts/widgets/read-widgets.ts", from: 'status: "active", minAmount', to: 'status: "all", minAmount' },
    killedBy: [["alerts/alert-states", /the widgets and the goal leave a donation that is voided at once out/]],
  },
};

const reducer = "src/alerts/timer/timer.ts";

export const timer: Mutants = {
  "timer-maximum-ignored": {
    broken: "a timer grows beyond its maximum",
    edit: {
      file: reducer,
      from: "Math.min(stepMs(timer.rules, donation), roomMs(timer))",
      to: "stepMs(timer.rules, donation)",
    },
    killedBy: [
      ["alerts/get-timer", /takes back only what the maximum let its donation add/],
      ["alerts/timer", /lets nothing be added/],
    ],
  },
  "timer-void-forgotten": {
    broken: "a timer keeps the time of donations that were counted before they were voided",
    edit: {
      file: "src/alerts/timer/timer-log.ts",
      from: "voided(before, time, added.get(donationId) ?? takenMs)",
      to: "voided(before, time, added.get(donationId) ?? 0)",
    },
    killedBy: [["alerts/get-timer", /takes back what its donation added/]],
  },
  "timer-in-seconds": {
    broken: "a donation adds whole seconds",
    edit: {
      file: reducer,
      from: "return Number((units * BigInt(seconds) * 1_000n) / (BigInt(per) * 10n ** BigInt(scale)));",
      to: "return Number((units * BigInt(seconds)) / (BigInt(per) * 10n ** BigInt(scale))) * 1_000;",
    },
    killedBy: [["alerts/get-timer", /adds whole milliseconds/]],
  },
  "timer-ended-twice": {
    broken: "a timer that ran out is recorded as ended with every look at it",
    edit: {
      file: "src/events/timers.ts",
      from: `const hasEnded = timer.status === "ended" && before.status !== "ended";`,
      to: `const hasEnded = timer.status === "ended";`,
    },
    killedBy: [["alerts/timer", /of an ended timer/]],
  },
  "timer-end-late": {
    broken: "a timer ends when that is noticed",
    edit: {
      file: reducer,
      from: "...ended({ ...timer, leftMs: 0, at }, timer.at + timer.leftMs), ranOut: true",
      to: "...ended({ ...timer, leftMs: 0, at }, at + 1), ranOut: true",
    },
    killedBy: [["alerts/timer", /at the moment when it had nothing left/]],
  },
  "timer-pause-deaf": {
    broken: "donations add nothing to a paused timer",
    edit: {
      file: reducer,
      from: "const addedMs = isOpen(timer) ?",
      to: 'const addedMs = timer.status === "running" ?',
    },
    killedBy: [["alerts/timer", /stands still, and donations add time/]],
  },
  "timer-resume-anew": {
    broken: "a timer that is resumed while it runs begins anew",
    edit: {
      file: reducer,
      from: "return timer.status === status ? timer : { ...timer, status };",
      to: 'return status === "paused" && timer.status === status ? timer : { ...timer, status, at: timer.at + 1_000 };',
    },
    killedBy: [["alerts/timer", /resuming it again has no effect/]],
  },
  "timer-adjusted-twice": {
    broken: "an adjustment whose idempotency key was used is made again",
    edit: {
      file: "src/events/timers.ts",
      from: "if (known !== null)\n          return {",
      to: "if (known === 0)\n          return {",
    },
    killedBy: [["alerts/timer", /adjusts once/]],
  },
  "timer-end-keeps": {
    broken: "a timer that is ended keeps what was left",
    edit: {
      file: reducer,
      from: "return isOpen(timer) ? change(timer, -timer.leftMs) : timer;",
      to: "return isOpen(timer) ? ended(timer, timer.at) : timer;",
    },
    killedBy: [["alerts/timer", /has nothing left and is timer.ended/]],
  },
  "timer-key-of-every-streamer": {
    broken: "an adjustment of the timer is repeated when the same client has made it for another streamer",
    edit: {
      file: "src/events/timers.ts",
      from: 'await trx("timer_adjustments").where(columnsOf(key)).first',
      to: 'await trx("timer_adjustments").where({ ...columnsOf(key), streamer_id: trx.ref("streamer_id") }).first',
    },
    killedBy: [["alerts/timer", /belongs to its streamer/]],
  },
};
