import type { Edit, Mutants } from "../mutant.ts";

const inOverlay = (file: string, from: string, to: string): Edit => ({ file: `src/overlay/${file}.ts`, from, to });

export const alerts: Mutants = {
  "skip-alert-ignored": {
    broken: "skipAlert raises an alert all the same",
    edit: { file: "src/donations/record-one-streamer.sql", from: "from stored where not skip_alert", to: "from stored" },
    killedBy: [["alerts/get-alert-queue", /skipAlert keeps a donation out of it/]],
  },
  "alerts-doubled": {
    broken: "an alert is sent twice",
    edit: inOverlay(
      "sync-connection",
      'send({ event: "playback", data: shownAs(playback, view) });',
      '[1, 2].forEach(() => send({ event: "playback", data: shownAs(playback, view) }));',
    ),
    killedBy: [["overlay/stream-overlay", /each once/]],
  },
  "alerts-backwards": {
    broken: "the queue is shown backwards",
    edit: inOverlay("store/queue", "where ${untaken} order by a.sequence limit ?", "where ${untaken} order by a.sequence desc limit ?"),
    killedBy: [["alerts/get-alert-queue", /in the order of recording/]],
  },
  "end-forgotten": {
    broken: "an end that was acknowledged is forgotten",
    edit: inOverlay("store/acknowledge", 'await finish(trx, id, { state: "shown", reason: null, now });', ""),
    killedBy: [["overlay/end-playback", /the alert was shown, now; the next one follows/]],
  },
  "any-player": {
    broken: "any player may acknowledge",
    edit: inOverlay("store/acknowledge", 'if (playback.playerId !== playerId) return "conflict";', ""),
    killedBy: [["overlay/start-playback", /by another player is alert_state_conflict/]],
  },
  "below-minimum": {
    broken: "an alert of the smallest amount is kept off",
    edit: inOverlay("alert-filter", "amount < settings.minimumAmount", "amount <= settings.minimumAmount"),
    killedBy: [["alerts/update-alert-settings", /at it one is/]],
  },
  "words-by-case": {
    broken: "a blocked word is blocked in its own case only",
    edit: inOverlay("word-filter", "seen.toLowerCase().toUpperCase().toLowerCase()", "seen"),
    killedBy: [["alerts/update-alert-settings", /off the stream/]],
  },
  "pause-ignored": {
    broken: "a paused queue goes on",
    edit: inOverlay("store/play-next", "if (overlay.paused) return false;", ""),
    killedBy: [["alerts/pause-alerts", /nothing new begins/]],
  },
  "replay-of-what-waits": {
    broken: "an alert that waits can be asked for once more",
    edit: inOverlay("store/controls", '["preparing", "queued", "leased", "playing"].includes(donation.status)', "donation.status === null"),
    killedBy: [["alerts/replay-alert", /one that waits or plays it is alert_state_conflict/]],
  },
  "cleared-and-kept": {
    broken: "clearing leaves what no overlay has taken in",
    edit: inOverlay(
      "store/controls",
      "and status = 'queued' and sequence > ? and sequence <= ?`",
      "and status = 'none' and sequence > ? and sequence <= ?`",
    ),
    killedBy: [["alerts/clear-alerts", /everything that waits is skipped/]],
  },
  "settings-of-all": {
    broken: "settings that are not sent go back to their defaults",
    edit: inOverlay(
      "settings",
      "const changed: Settings = { ...settings, ...sent };",
      "const changed: Settings = { ...defaultSettings, ...sent };",
    ),
    killedBy: [["alerts/update-alert-settings", /not sent stay/]],
  },
};
