// Wrong answers of the alert queue, its controls and settings, and of the overlay's stream.

import { at, events, type Mutants, set, type WrongAnswer, wrong } from "../mutant.ts";

type Queued = { donationId: string };
type Queue = { playing: object | null; waiting: object[] };
type Playback = Record<string, unknown>;

/** A control that answers the queue and does nothing. */
const without = (on: string): Pick<WrongAnswer, "on" | "as"> => ({ on, as: () => "GET /api/v1/alerts" });
const alert = (change: (playback: Playback) => Playback | readonly Playback[] | null): Pick<WrongAnswer, "on" | "lines"> => ({
  on: "streamOverlay",
  lines: events((data) => ("donatorName" in data ? change(data) : data)),
});
const settings = (change: (body: Record<string, unknown>) => object): Pick<WrongAnswer, "on" | "sent"> => ({
  on: "updateAlertSettings",
  sent: (body) => (body && typeof body === "object" && !Array.isArray(body) ? change(body as Record<string, unknown>) : body),
});
const variations = (change: (variations: Record<string, unknown>[]) => unknown): Pick<WrongAnswer, "on" | "sent" | "answer"> => ({
  on: "updateAlertSettings",
  sent: at<Record<string, unknown>[]>("variations", (all) => (Array.isArray(all) ? change(all) : all)),
});

const file = {
  kind: "sound",
  mime: "audio/mpeg",
  name: "a.mp3",
  size: 1,
  width: null,
  height: null,
  used: false,
  createdAt: "2026-11-20T12:30:00.000Z",
};

export const alertAnswers: Mutants = {
  "pause-without-effect": wrong({
    broken: "pausing does nothing",
    ...without("pauseAlerts"),
    killedBy: [["alerts/alert-queue", /pausing answers the queue as paused/]],
  }),
  "resume-without-effect": wrong({
    broken: "resuming does nothing",
    ...without("resumeAlerts"),
    killedBy: [["alerts/alert-queue", /resuming answers the queue as not paused/]],
  }),
  "hide-without-effect": wrong({
    broken: "hiding does nothing",
    ...without("hideAlerts"),
    killedBy: [["alerts/hide-alerts", /hiding answers the queue as hidden/]],
  }),
  "unhide-without-effect": wrong({
    broken: "ending hiding does nothing",
    ...without("unhideAlerts"),
    killedBy: [["alerts/hide-alerts", /ending hiding answers the queue as not hidden/]],
  }),
  "clear-without-effect": wrong({
    broken: "clearing does nothing",
    ...without("clearAlerts"),
    killedBy: [["alerts/alert-queue", /clearing skips every waiting alert/]],
  }),
  "skip-without-effect": wrong({
    broken: "skipping what plays does nothing",
    ...without("skipAlert"),
    killedBy: [["alerts/skip-alert", /skipping tells the page to stop/]],
  }),
  "skip-one-without-effect": wrong({
    broken: "skipping one alert does nothing",
    ...without("skipOneAlert"),
    killedBy: [["alerts/skip-alert", /a waiting alert that is skipped is never played/]],
  }),
  "next-without-effect": wrong({
    broken: "an alert that is put next keeps its place in the queue",
    ...without("playAlertNext"),
    killedBy: [["alerts/skip-alert", /comes before all others/]],
  }),
  "lead-without-effect": wrong({
    broken: "an overlay that is made lead does not lead",
    ...without("leadOverlay"),
    killedBy: [["alerts/lead-overlay", /a chosen page leads before a page in OBS/]],
  }),
  "deny-without-effect": wrong({
    broken: "denying does nothing",
    ...without("denyAlert"),
    killedBy: [["alerts/deny-alert", /a denied held alert is never played/]],
  }),
  "approved-instead-of-masked": wrong({
    broken: "masking approves",
    on: "maskAlert",
    as: (path) => `POST ${path.replace("/mask", "/approve")}`,
    killedBy: [["alerts/deny-alert", /plays once with its amount alone/]],
  }),
  "decided-twice": wrong({
    broken: "a second decision is accepted",
    on: "approveAlert denyAlert",
    forgives: { status: 409, as: 200, read: () => "/api/v1/alerts" },
    killedBy: [["alerts/approve-alert", /approving it again is refused/]],
  }),
  "replay-of-what-waits": wrong({
    broken: "a replay of an alert that waits is answered as if it was accepted",
    on: "replayAlert",
    forgives: { status: 409, as: 201, read: () => "/api/v1/alerts" },
    answer: at<Queue>("data", (data) => ("waiting" in data ? (data.playing ?? data.waiting[0]) : data)),
    killedBy: [["alerts/replay-alert", /an alert that waits or plays is refused with alert_state_conflict/]],
  }),
  "queue-backwards": wrong({
    broken: "the alert queue is answered in reverse order",
    on: "getAlertQueue",
    answer: at<Queued[]>("data.waiting", (all) => all.toReversed()),
    killedBy: [["alerts/alert-queue", /in the order of recording/]],
  }),
  "queue-in-satang": wrong({
    broken: "amounts in the alert queue are rounded to satang",
    on: "getAlertQueue",
    answer: at<number>("data.waiting.*.amount", (amount) => Math.round(amount * 100) / 100),
    killedBy: [["alerts/alert-queue", /each as it was sent/]],
  }),
  "queue-of-49": wrong({
    broken: "a queue with fifty alerts shows forty-nine",
    on: "getAlertQueue",
    answer: at<Queued[]>("data.waiting", (all) => all.slice(0, 49)),
    killedBy: [["alerts/alert-queue", /first 50 waiting alerts/]],
  }),
  "held-newest-first": wrong({
    broken: "held alerts are listed newest first",
    on: "getAlertQueue",
    answer: at<Queued[]>("data.held", (all) => all.toReversed()),
    killedBy: [["alerts/approve-alert", /first 50 held alerts are listed, oldest first/]],
  }),
  "test-alert-trimmed": wrong({
    broken: "a test alert shows its texts without the blanks around them",
    on: "sendTestAlert",
    sent: at<string>("**", (text) => text.trim()),
    killedBy: [["alerts/send-test-alert", /shown like any other/]],
  }),
  "queue-that-asks-not": wrong({
    broken: "the queue never says that it asks",
    on: "getAlertQueue resumeAlerts pauseAlerts clearAlerts",
    answer: set("data", { asking: false }),
    killedBy: [["alerts/alert-queue", /pause the queue, through a reload/]],
  }),
  "queue-of-test-alerts": wrong({
    broken: "a test alert is answered with another source",
    on: "sendTestAlert",
    answer: set("data", { source: "external", channel: "external" }),
    killedBy: [["alerts/send-test-alert", /is recorded with source test/]],
  }),
  "shown-with-offset": wrong({
    broken: "alert.shownAt is answered with an offset instead of Z",
    on: "getDonation listDonations",
    answer: at("**", (text) => text),
    text: (text) => text.replace(/("shownAt":"[^"]*)Z"/g, '$1+00:00"'),
    killedBy: [["alerts/alert-states", /waiting, playing, shown, shown again/]],
  }),
  "mask-unsaid-in-searches": wrong({
    broken: "a search says of no alert that it was masked",
    on: "searchDonations",
    answer: at<object>("data.*.alert", (alert) => ({ ...alert, masked: false })),
    killedBy: [["alerts/deny-alert", /says so from then on/]],
  }),
  "settings-of-all": wrong({
    broken: "alert settings that a request leaves out are reset",
    ...settings((body) => ({ minimumAmount: 0, volume: 80, blockedWords: [], ...body })),
    killedBy: [["alerts/update-alert-settings", /not sent stay/]],
  }),
  "title-trimmed": wrong({
    broken: "titles of goals are stored without the blanks around them",
    on: "updateAlertSettings",
    sent: at<string>("goals.*.title", (title) => title.trim()),
    killedBy: [["alerts/get-alert-settings", /all settings that were set are read back/]],
  }),
  "goal-stays": wrong({
    broken: "null does not remove the goal",
    ...settings(({ goal, ...others }) => (goal === null ? others : { ...others, ...(goal !== undefined && { goal }) })),
    killedBy: [["alerts/update-alert-settings", /null removes the goal/]],
  }),
  "settings-read-old": wrong({
    broken: "settings are read back with their default volume",
    on: "getAlertSettings",
    answer: set("data", { volume: 80 }),
    killedBy: [["alerts/get-alert-settings", /all settings that were set are read back/]],
  }),
  "blocked-words-lost": wrong({
    broken: "blocked words are stored as none",
    ...settings((body) => (Array.isArray(body.blockedWords) ? { ...body, blockedWords: [] } : body)),
    killedBy: [["alerts/update-alert-settings", /off the stream/]],
  }),
  "pause-never": wrong({
    broken: "pauseSeconds is stored as 0",
    ...settings((body) =>
      typeof body.pauseSeconds === "number" && body.pauseSeconds > 0 && body.pauseSeconds <= 10 ? { ...body, pauseSeconds: 0 } : body,
    ),
    killedBy: [["alerts/get-alert-settings", /pauseSeconds after the end/]],
  }),
  "words-unblocked": wrong({
    broken: "blocked words are stored with a letter too many",
    ...settings((body) =>
      Array.isArray(body.blockedWords) && body.blockedWords.every((word) => typeof word === "string" && word.length < 40)
        ? { ...body, blockedWords: body.blockedWords.map((word) => `${word}฿`) }
        : body,
    ),
    killedBy: [["alerts/get-alert-settings", /mask_word hides a blocked word/]],
  }),
  "variation-last": wrong({
    broken: "of several variations that fit, the last is played",
    ...variations((all) => all.toReversed()),
    killedBy: [["alerts/alert-variations", /first of several variations that fit is played/]],
  }),
  "library-forgotten": wrong({
    broken: "the picture that a variation names of the library is not kept",
    ...variations((all) => all.map(({ libraryImage, ...one }) => one)),
    killedBy: [["alerts/alert-library", /carries picture, sound and typeface/]],
  }),
  "variation-of-any-channel": wrong({
    broken: "the channels of a variation are ignored",
    ...variations((all) => all.map((one) => (Array.isArray(one.channels) && one.channels.length > 0 ? { ...one, channels: null } : one))),
    killedBy: [["alerts/alert-variations", /"channels":\["card"\]\} fits donations/]],
  }),
  "file-as-another": wrong({
    broken: "an uploaded GIF is answered as a PNG",
    on: "uploadAlertFile",
    answer: at<string>("data.mime", (mime) => (mime === "image/gif" ? "image/png" : mime)),
    killedBy: [["alerts/alert-files", /the type image\/gif is found by its content/]],
  }),
  "file-refused-201": wrong({
    broken: "a file with something behind its end is answered as stored",
    on: "uploadAlertFile",
    status: { 400: 201 },
    killedBy: [["alerts/alert-files", /a JPEG with another file behind its end/]],
  }),
  "file-of-everybody": wrong({
    broken: "one file is listed to every streamer",
    on: "listAlertFiles",
    answer: at<unknown[]>("data", (all) => [{ ...file, id: "Zk0bN3c5v9q1m7x2R8s4T6u0W1y3A5d7F9h2J4k6L8o" }, ...all]),
    killedBy: [["alerts/alert-files", /every alert file is listed once/]],
  }),
  "file-gone-204": wrong({
    broken: "deleting a file that does not exist is answered 204",
    on: "deleteAlertFile",
    status: { 404: 204 },
    killedBy: [["alerts/alert-files", /the id x names no alert file/]],
  }),
  "alert-doubled": wrong({
    broken: "an alert is sent to the overlay twice",
    ...alert((playback) => [playback, playback]),
    killedBy: [["overlay/stream-overlay", /each once/]],
  }),
  "alert-line-ends": wrong({
    broken: "CR LF in a message is LF on its way to the overlay",
    ...alert((playback) => ({ ...playback, message: String(playback.message).replaceAll("\r\n", "\n") })),
    killedBy: [["overlay/stream-overlay", /reach queue, alert and widgets as they were sent/]],
  }),
  "alert-of-another": wrong({
    broken: "the overlay is told of a variation that was not chosen",
    ...alert((playback) => ({ ...playback, variation: null })),
    killedBy: [["alerts/alert-variations", /a donation of 1000 plays the first variation that fits, whole/]],
  }),
  "everybody-plays": wrong({
    broken: "every page is told that it plays",
    on: "streamOverlay",
    lines: events((data) => ("role" in data ? { ...data, role: "player" } : data)),
    killedBy: [["overlay/stream-roles", /one page leads; another stands by/]],
  }),
  "widgets-rounded": wrong({
    broken: "widgets show sums in whole baht",
    on: "streamOverlay",
    lines: events((data) =>
      JSON.parse(JSON.stringify(data), (name, value) =>
        name === "totals" ? JSON.parse(JSON.stringify(value), (member, one) => (member === "amount" ? Math.round(one) : one)) : value,
      ),
    ),
    killedBy: [["overlay/stream-widgets", /sums and top donators are exact/]],
  }),
  "widgets-without-recent": wrong({
    broken: "widgets show no recent donations",
    on: "streamOverlay",
    lines: events((data) => JSON.parse(JSON.stringify(data), (name, value) => (name === "recent" ? [] : value))),
    killedBy: [["overlay/stream-widgets", /the recent donations of widgets are those with the latest createdAt/]],
  }),
  "playback-of-strangers": wrong({
    broken: "a browser that is not the player is answered as if it was",
    on: "startPlayback",
    status: { 409: 200 },
    killedBy: [["overlay/start-playback", /refused with alert_state_conflict/]],
  }),
  "end-without-effect": wrong({
    broken: "the end of a playback is answered and not stored",
    on: "endPlayback",
    as: (path) => `POST ${path.replace("/ended", "/started")}`,
    answer: set("data", { status: "shown" }),
    killedBy: [["overlay/start-playback", /marks the alert as shown now, and the next one follows/]],
  }),
  "speech-of-anybody": wrong({
    broken: "speech that does not exist is answered 200",
    on: "getSpeech",
    status: { 404: 200 },
    killedBy: [["overlay/start-playback", /speech_not_found: x/]],
  }),
};
