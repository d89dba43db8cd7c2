// Hiding, pauses, held alerts and moderators.

import type { Edit, Mutants } from "../mutant.ts";

const inOverlay = (file: string, from: string, to: string): Edit => ({ file: `src/alerts/${file}.ts`, from, to });

export const approval: Mutants = {
  "hidden-plays": {
    broken: "alerts start while everything is hidden",
    edit: inOverlay("store/play-next", "overlay.hidden || pauseLeft(overlay) > 0", "pauseLeft(overlay) > 0"),
    killedBy: [["alerts/hide-alerts", /no alert starts/]],
  },
  "next-in-its-turn": {
    broken: "an alert that is put next keeps its place in the queue",
    edit: inOverlay("store/playbacks", "desc, p.priority desc, p.replay desc", "desc, p.replay desc"),
    killedBy: [["alerts/play-alert-next", /comes before all others/]],
  },
  "next-stays-first": {
    broken: "an alert that is put next waits behind those that were put next before",
    edit: inOverlay("store/playbacks", "desc, p.priority desc, p.replay desc", "desc, (p.priority > 0) desc, p.priority, p.replay desc"),
    killedBy: [["alerts/play-alert-next", /the latest of them at the front/]],
  },
  "asks-about-all": {
    broken: "a queue asks about alerts that wait since an overlay was connected",
    edit: inOverlay("store/players/backlog", "where since >= from_millis(?)", "where since >= from_millis(least(?, 0))"),
    killedBy: [["alerts/alert-backlog", /ask nothing when it reconnects/]],
  },
  "cleared-stays-paused": {
    broken: "clearing a queue that asks leaves it paused",
    edit: inOverlay("store/clear-waiting", "...(isAnswered && { paused: false, asking: false })", "...(isAnswered && { asking: false })"),
    killedBy: [["alerts/alert-backlog", /clearing a queue that asks/]],
  },
  "skips-what-is-over": {
    broken: "skipping an alert that was denied or wanted none is accepted",
    edit: inOverlay("store/controls", 'alert.status === "skipped" && alert.reason === "control"', 'alert.status === "skipped"'),
    killedBy: [["alerts/skip-one-alert", /is not skipped: alert_state_conflict/]],
  },
  "hidden-goes-on": {
    broken: "hiding everything leaves what plays on screen",
    edit: inOverlay("store/controls", "hidden ? await readActive(trx, streamerId) : null", "null"),
    killedBy: [["alerts/hide-alerts", /hiding stops the playing alert/]],
  },
  "no-pause-between": {
    broken: "the next alert starts without the pause",
    edit: inOverlay("store/play-next", "overlay.hidden || pauseLeft(overlay) > 0", "overlay.hidden"),
    killedBy: [["alerts/alert-pace", /pauseSeconds after the end/]],
  },
  "pause-from-the-start": {
    broken: "the pause begins a second before the end of the alert, while that one still plays",
    edit: inOverlay("store/pace", "clearedAt + settings.pauseSeconds * 1000 - now", "clearedAt + (settings.pauseSeconds - 1) * 1000 - now"),
    killedBy: [["alerts/alert-pace", /pauseSeconds after the end/]],
  },
  "held-with-a-page-only": {
    broken: "alerts are held only while a page is connected",
    edit: inOverlay("store/approval/hold-waiting", "await holdAlerts(trx, overlay, held);", ""),
    killedBy: [["alerts/approve-alert", /while no page is connected/]],
  },
  "decided-twice": {
    broken: "a second decision is accepted",
    edit: inOverlay("store/approval/approval", 'return isDecided ? "done" : "conflict";', 'return "done";'),
    killedBy: [["alerts/deny-alert", /a second decision is refused/]],
  },
  "widgets-unmoderated": {
    broken: "widgets show the texts of alerts that are held or denied",
    edit: inOverlay("widgets/widget-texts", "unseen.has(one.donationId)", "false"),
    killedBy: [["overlay/stream-widgets", /whose alert is held, denied or masked/]],
  },
  "widgets-unfiltered": {
    broken: "widgets show blocked words when these have changed",
    edit: inOverlay("widgets/widget-texts", "JSON.stringify([blockedWords, blockedWordAction, ", "JSON.stringify(["),
    killedBy: [["overlay/stream-widgets", /mask blocked words/]],
  },
  "mask-keeps-message": {
    broken: "a masked alert shows its message",
    edit: inOverlay("settings/shown-texts", 'donatorName: mask, message: "", masked', "donatorName: mask, message, masked"),
    killedBy: [["alerts/mask-alert", /plays once with its amount alone/]],
  },
  "all-below-minimum": {
    broken: "approval all holds alerts below the minimum amount, which would not play",
    edit: inOverlay(
      "settings/alert-filter",
      'if (amount < settings.minimumAmount) return "below_minimum";',
      'if (amount < settings.minimumAmount) return approval === "all" ? "hold" : "below_minimum";',
    ),
    killedBy: [["alerts/approve-alert", /holds what would play otherwise/]],
  },
  "matching-skips": {
    broken: "approval matching skips an alert with a blocked word",
    edit: inOverlay("settings/alert-filter", ' && approval !== "matching") return "filtered";', ') return "filtered";'),
    killedBy: [["alerts/approve-alert", /approval matching holds/]],
  },
  "held-count-as-listed": {
    broken: "heldCount counts the listed alerts only",
    edit: inOverlay(
      "store/queue",
      "return rows[0]?.count ?? 0;\n}\n\n/** Seconds",
      "return Math.min(maxHeld, rows[0]?.count ?? 0);\n}\n\n/** Seconds",
    ),
    killedBy: [["alerts/approve-alert", /heldCount counts all/]],
  },
  "held-newest-first": {
    broken: "held alerts are listed newest first",
    edit: inOverlay(
      "store/queue",
      "where h.streamer_id = ? order by h.sequence limit ?",
      "where h.streamer_id = ? order by h.sequence desc limit ?",
    ),
    killedBy: [["alerts/approve-alert", /first 50 held alerts are listed, oldest first/]],
  },
  "timed-out-mask-shows": {
    broken: "an alert that nobody decides about plays with its texts, though it should be masked",
    edit: inOverlay("store/approval/held-alerts", 'masked: decision === "mask"', "masked: false"),
    killedBy: [["alerts/approve-alert", /onTimeout mask decides/]],
  },
  "timed-out-as-denied": {
    broken: "an alert that nobody decides about in time says that it was denied",
    edit: inOverlay("store/approval/held-alerts", 'dropHeld(trx, overlay, due, "timed_out")', 'dropHeld(trx, overlay, due, "denied")'),
    killedBy: [["alerts/approve-alert", /onTimeout drop decides/]],
  },
};
