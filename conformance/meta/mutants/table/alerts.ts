// Mutants of the alert queue and its controls.

import type { Edit, Mutants } from "../mutant.ts";

const inOverlay = (file: string, from: string, to: string): Edit => ({ file: `src/alerts/${file}.ts`, from, to });

export const alerts: Mutants = {
  "skip-alert-ignored": {
    broken: "a donation with skipAlert raises an alert",
    edit: { file: "src/donations/record/record-one-streamer.sql", from: "from stored where not skip_alert", to: "from stored" },
    killedBy: [["alerts/get-alert-queue", /skipAlert is not in the queue/]],
  },
  "alerts-doubled": {
    broken: "an alert is sent to the overlay twice",
    edit: inOverlay(
      "connections/sync-connection",
      'send({ event: "playback", data: toPlayback(playback, view) });',
      '[1, 2].forEach(() => send({ event: "playback", data: toPlayback(playback, view) }));',
    ),
    killedBy: [["overlay/stream-overlay", /each once/]],
  },
  "alerts-backwards": {
    broken: "the alert queue is answered in reverse order",
    edit: inOverlay("store/queue", "where ${untaken} order by a.sequence limit ?", "where ${untaken} order by a.sequence desc limit ?"),
    killedBy: [["alerts/get-alert-queue", /in the order of recording/]],
  },
  "end-forgotten": {
    broken: "the acknowledged end of a playback is not stored",
    edit: inOverlay("store/acknowledge", 'await finishPlayback(trx, { streamerId, id }, { state: "shown", reason: null, now });', ""),
    killedBy: [["overlay/end-playback", /marks the alert as shown now, and the next one follows/]],
  },
  "any-player": {
    broken: "a browser that is not the player may acknowledge a playback",
    edit: inOverlay("store/acknowledge", 'if (playback.playerId !== playerId) return "conflict";', ""),
    killedBy: [["overlay/start-playback", /of another player is refused with alert_state_conflict/]],
  },
  "below-minimum": {
    broken: "a donation of exactly the minimum amount raises no alert",
    edit: inOverlay("settings/alert-filter", "amount < settings.minimumAmount", "amount <= settings.minimumAmount"),
    killedBy: [["alerts/update-alert-settings", /at it one is/]],
  },
  "words-by-case": {
    broken: "a blocked word is recognised only in the case in which it is written",
    edit: inOverlay("settings/filtered-text", "foldPart(seen)", "seen"),
    killedBy: [["alerts/update-alert-settings", /off the stream/]],
  },
  "words-as-sent": {
    broken: "blocked words are looked for in the text as it was sent, and not as pages show it and speech says it",
    edit: inOverlay("settings/word-filter", "[...new Set(seen)].some((one)", "[text].some((one)"),
    killedBy: [["alerts/blocked-words", /whatever speech or the card leaves out/]],
  },
  "pause-ignored": {
    broken: "a paused queue still hands out alerts",
    edit: inOverlay("store/play-next", "if (overlay.paused) return false;", ""),
    killedBy: [["alerts/pause-alerts", /begins no new alert/]],
  },
  "replay-of-what-waits": {
    broken: "an alert that is waiting can be replayed",
    edit: inOverlay(
      "store/controls",
      '["held", "preparing", "queued", "leased", "playing"].includes(donation.status)',
      "donation.status === null",
    ),
    killedBy: [["alerts/replay-alert", /an alert that waits or plays is refused with alert_state_conflict/]],
  },
  "cleared-and-kept": {
    broken: "clearing the queue leaves alerts that no overlay has taken in",
    edit: inOverlay(
      "store/clear-waiting",
      "and status = 'queued' and sequence > ? and sequence <= ?",
      "and status = 'none' and sequence > ? and sequence <= ?",
    ),
    killedBy: [["alerts/clear-alerts", /clearing skips every waiting alert/]],
  },
  "settings-of-all": {
    broken: "alert settings that a request leaves out are reset to their defaults",
    edit: inOverlay(
      "settings/settings",
      "const changed: Settings = { ...settings, ...sent };",
      "const changed: Settings = { ...defaultSettings, ...sent };",
    ),
    killedBy: [["alerts/update-alert-settings", /not sent stay/]],
  },
};
