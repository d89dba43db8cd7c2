// Wrong answers of the figures and times that widgets and pages of alerts are told, and of what the log tells of alerts and the timer.

import { at, events, type Mutants, type WrongAnswer, wrong } from "../mutant.ts";

type Row = Record<string, unknown>;
type Timer = { status: string; remainingMs: number; endsAt: string | null };
type Widgets = Record<"recent" | "top" | "goals", Row[]> & {
  asOf: string;
  goal: Row | null;
  timer: Timer | null;
  topOf: Record<string, Row[]>;
  largest: Record<string, Row | null>;
};

const hourLater = (time: unknown): unknown => (typeof time === "string" ? new Date(Date.parse(time) + 3_600_000).toISOString() : time);

/** A stream that tells other widgets, in the snapshot and after it. */
const widgets = (change: (told: Widgets) => object): Pick<WrongAnswer, "on" | "lines"> => ({
  on: "streamOverlay",
  lines: events((data) => {
    const changed = (told: unknown): object => ({ ...(told as Widgets), ...change(told as Widgets) });
    if ("totals" in data) return changed(data);
    return "widgets" in data ? { ...data, widgets: changed(data.widgets) } : data;
  }),
});

const ofEach = (rows: Record<string, Row | null>, members: Row): object =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, row && { ...row, ...members }]));

/** A log and streams in which the data of events of a type differ. */
const told = (type: RegExp, members: (data: Row) => Row): Pick<WrongAnswer, "on" | "answer" | "lines"> => {
  const change = (event: Row): Row => {
    const data = event.data as Row;
    return type.test(String(event.type)) ? { ...event, data: { ...data, ...members(data) } } : event;
  };
  return { on: "listEvents streamEvents", answer: at("data.*", change), lines: events(change) };
};

const killer = (title: RegExp): WrongAnswer["killedBy"] => [["overlay/stream-widgets", title]];

export const widgetAnswers: Mutants = {
  "widgets-of-an-hour-ago": wrong({
    broken: "widgets say that they are of an hour ago",
    ...widgets(({ asOf }) => ({ asOf: new Date(Date.parse(asOf) - 3_600_000).toISOString() })),
    killedBy: [["overlay/stream-overlay", /the first event of a stream is a snapshot/]],
  }),
  "largest-dated-now": wrong({
    broken: "widgets give the largest donations the present time",
    ...widgets(({ asOf, largest }) => ({ largest: ofEach(largest, { createdAt: asOf }) })),
    killedBy: killer(/the largest donation of a period/),
  }),
  "tops-upside-down": wrong({
    broken: "widgets list the top donators from the last to the first",
    ...widgets(({ top }) => ({ top: top.toReversed().map((one, index) => ({ ...one, rank: index + 1 })) })),
    killedBy: killer(/top donators of a period/),
  }),
  "tops-all-second": wrong({
    broken: "every top donator of a day has rank 2",
    ...widgets(({ topOf }) => ({ topOf: { ...topOf, day: topOf.day?.map((one) => ({ ...one, rank: 2 })) } })),
    killedBy: killer(/top donators of a period/),
  }),
  "goal-target-whole": wrong({
    broken: "widgets show a goal's target in whole baht",
    ...widgets(({ goal, goals }) => {
      const whole = (one: Row) => ({ ...one, target: Math.ceil(Number(one.target)) });
      return { goal: goal && whole(goal), goals: goals.map(whole) };
    }),
    killedBy: killer(/the goal counts donations from its day on/),
  }),
  "timer-a-minute-more": wrong({
    broken: "widgets tell a minute more than the timer has left",
    ...widgets(({ timer }) => ({ timer: timer && { ...timer, remainingMs: timer.remainingMs + 60_000 } })),
    killedBy: [["alerts/get-timer", /widgets tell what the timer does/]],
  }),
  "timer-ends-later": wrong({
    broken: "widgets tell an end of the timer that is an hour later",
    ...widgets(({ timer }) => ({ timer: timer && { ...timer, endsAt: hourLater(timer.endsAt) } })),
    killedBy: [["alerts/get-timer", /widgets tell what the timer does/]],
  }),
  "timer-of-an-hour-later": wrong({
    broken: "every time of the timer is an hour too late",
    on: "getTimer startTimer",
    answer: at<Row>("data", (timer) => ({
      ...timer,
      ...Object.fromEntries(["startedAt", "endsAt", "endedAt", "asOf"].map((name) => [name, hourLater(timer[name])])),
    })),
    killedBy: [
      ["alerts/get-timer", /a timer that was never started/],
      ["alerts/get-timer", /was started now/],
    ],
  }),
  "speech-speed-of-snapshots": wrong({
    broken: "a page is told another speed of speech when it connects",
    on: "streamOverlay",
    lines: events((data) =>
      "role" in data && "settings" in data ? { ...data, settings: { ...(data.settings as Row), speechSpeed: 2 } } : data,
    ),
    killedBy: [["overlay/stream-overlay", /the first event of a stream is a snapshot/]],
  }),
  "speech-in-seconds": wrong({
    broken: "the duration of speech is told in seconds",
    on: "streamOverlay",
    lines: events((data) =>
      JSON.parse(JSON.stringify(data), (name, value) =>
        name === "durationMs" && typeof value === "number" ? Math.round(value / 1_000) : value,
      ),
    ),
    killedBy: [["overlay/start-playback", /audio of the duration that is told/]],
  }),
  "elapsed-a-minute-more": wrong({
    broken: "a page that joins an alert is told that it began a minute earlier",
    on: "streamOverlay",
    lines: events((data) =>
      JSON.parse(JSON.stringify(data), (name, value) => (name === "elapsedMs" && value !== null ? value + 60_000 : value)),
    ),
    killedBy: [["alerts/lead-overlay", /a page that connects in the middle of an alert/]],
  }),
  "told-in-tenths": wrong({
    broken: "events of alerts that are held, approved, denied or not shown tell amounts with one decimal",
    ...told(/^alert\.(?!started|shown)/, ({ amount }) => ({ amount: Math.ceil(Number(amount) * 10) / 10 })),
    killedBy: [["alerts/approve-alert", /the log tells that an alert was held/]],
  }),
  "told-of-another-source": wrong({
    broken: "events of alerts that were skipped tell another source",
    ...told(/^alert\.skipped/, () => ({ source: "native" })),
    killedBy: [
      ["events/list-events", /skipped, for the reason control/],
      ["events/event-types", /plays and is skipped/],
      ["alerts/alert-states", /the log tells first that the alert was skipped/],
    ],
  }),
  "told-for-a-reason": wrong({
    broken: "events of alerts that expired or broke off tell a reason for which they were skipped",
    ...told(/^alert\.(expired|unconfirmed)/, () => ({ reason: "control" })),
    killedBy: [
      ["events/event-types", /is alert\.expired/],
      ["events/event-types", /is alert\.unconfirmed/],
    ],
  }),
  "told-that-a-pause-adds": wrong({
    broken: "the event of a timer's pause tells that a millisecond was added",
    ...told(/^timer\./, ({ cause, changedMs }) => ({ changedMs: cause === "pause" ? 1 : changedMs })),
    killedBy: [["alerts/timer", /a timer that is paused is timer\.changed/]],
  }),
  "told-without-an-end": wrong({
    broken: "the events of a resumed or adjusted timer do not tell when it ends",
    ...told(/^timer\./, ({ cause, endsAt }) => ({ endsAt: /resume|adjustment/.test(String(cause)) ? null : endsAt })),
    killedBy: [
      ["alerts/timer", /a resumed timer runs on/],
      ["alerts/timer", /adds or takes its seconds/],
    ],
  }),
  "told-of-no-end": wrong({
    broken: "the event of a timer that was ended by hand does not tell when",
    ...told(/^timer\.ended/, ({ cause, endedAt }) => ({ endedAt: cause === "end" ? null : endedAt })),
    killedBy: [["alerts/timer", /an ended timer has nothing left/]],
  }),
  "told-of-nobody": wrong({
    broken: "the events of a replay tell no name",
    ...told(/^alert\./, ({ isReplay, donatorName }) => ({ donatorName: isReplay ? "?" : donatorName })),
    killedBy: [["events/event-types", /a replay of an alert is/]],
  }),
  "replayed-in-whole-baht": wrong({
    broken: "a replay is answered with its amount in whole baht",
    on: "replayAlert",
    answer: at<number>("data.amount", Math.ceil),
    killedBy: [["alerts/replay-alert", /shown once more/]],
  }),
  "time-of-donations-untold": wrong({
    broken: "no event tells of the time that donations have added",
    on: "listEvents",
    answer: at<{ data: Row }[]>("data", (all) => all.filter(({ data }) => data.cause !== "donations")),
    killedBy: [["alerts/get-timer", /what donations add and voids take back/]],
  }),
  "mask-unsaid-in-the-queue": wrong({
    broken: "the queue says of no waiting alert that it is masked",
    on: "getAlertQueue",
    answer: at("data.waiting.*.masked", () => false),
    killedBy: [["alerts/deny-alert", /a masked alert plays once/]],
  }),
  "adjusted-by-other-rules": wrong({
    broken: "an adjustment answers a timer with other rules",
    on: "adjustTimer",
    answer: at("data.rules.countTests", (counts) => !counts),
    killedBy: [["alerts/timer", /adds or takes its seconds/]],
  }),
  "one-more-than-waits": wrong({
    broken: "pausing, and putting an alert next, answer that one more waits than does",
    on: "pauseAlerts playAlertNext",
    answer: at<number>("data.waitingCount", (count) => count + 1),
    killedBy: [["alerts/alert-queue", /each control answers the queue as it is read/]],
  }),
};
