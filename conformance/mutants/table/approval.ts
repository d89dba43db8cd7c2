// Hiding, pauses, held alerts and moderators.

import type { Edit, Mutants } from "../mutant.ts";

const inOverlay = (file: string, from: string, to: string): Edit => ({ file: `src/overlay/${file}.ts`, from, to });

export const approval: Mutants = {
  "hidden-plays": {
    broken: "alerts start while everything is hidden",
    edit: inOverlay("store/play-next", "overlay.hidden || pauseLeft(overlay) > 0", "pauseLeft(overlay) > 0"),
    killedBy: [["alerts/hide-alerts", /no alert starts/]],
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
};
