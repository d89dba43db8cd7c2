// The alert queue, its controls and speech: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

export const alerts: Mutants = {
  "words-as-sent": {
    broken: "blocked words are looked for in the text as it was sent, and not as pages show it and speech says it",
    edit: { file: "src/alerts/settings/blocked-words.ts", from: "[...new Set(seen)].some((one)", to: "[text].some((one)" },
    killedBy: [["alerts/get-alert-settings", /whatever speech or the card leaves out/]],
  },
  "pause-ignored": {
    broken: "a paused queue still hands out alerts",
    edit: { file: "src/alerts/queue/pace.ts", from: "overlay.paused || overlay.hidden || active", to: "overlay.hidden || active" },
    killedBy: [["alerts/alert-queue", /begins no new alert/]],
  },
  "cleared-and-kept": {
    broken: "clearing the queue leaves alerts that no overlay has taken in",
    edit: {
      file: "src/alerts/queue/controls.ts",
      from: "and status = 'queued' and sequence > ? and sequence <= ?",
      to: "and status = 'none' and sequence > ? and sequence <= ?",
    },
    killedBy: [["alerts/alert-queue", /clearing skips every waiting alert/]],
  },
  "if-match-unlocked": {
    broken: "If-Match is compared with the settings of before the lock",
    edit: {
      file: "src/alerts/handlers.ts",
      from: "const settings = await saveSettings(knex, streamerId, body, isExpected);",
      to: "const seen = await readOverlay(knex, streamerId);\n      const settings = isExpected(seen?.settings ?? defaultSettings) ? await saveSettings(knex, streamerId, body) : null;",
    },
    killedBy: [["alerts/get-alert-settings", /in the same moment/]],
  },
  "hidden-plays": {
    broken: "alerts start while everything is hidden",
    edit: { file: "src/alerts/queue/pace.ts", from: "overlay.paused || overlay.hidden || active", to: "overlay.paused || active" },
    killedBy: [["alerts/hide-alerts", /no alert starts/]],
  },
  "next-stays-first": {
    broken: "an alert that is put next waits behind those that were put next before",
    edit: {
      file: "src/alerts/queue/playbacks.ts",
      from: "desc, p.priority desc, p.replay desc",
      to: "desc, (p.priority > 0) desc, p.priority, p.replay desc",
    },
    killedBy: [["alerts/skip-alert", /the latest of them at the front/]],
  },
  "asks-about-all": {
    broken: "a queue asks about alerts that wait since an overlay was connected",
    edit: {
      file: "src/alerts/queue/pace.ts",
      from: "where since >= from_millis(?)",
      to: "where since >= from_millis(least(?, 0))",
    },
    killedBy: [["alerts/alert-queue", /ask nothing when it reconnects/]],
  },
  "pause-from-the-start": {
    broken: "the pause begins a second before the end of the alert, while that one still plays",
    edit: {
      file: "src/alerts/queue/pace.ts",
      from: "clearedAt + settings.pauseSeconds * 1000 - now",
      to: "clearedAt + (settings.pauseSeconds - 1) * 1000 - now",
    },
    killedBy: [["alerts/get-alert-settings", /pauseSeconds after the end/]],
  },
  "held-with-a-page-only": {
    broken: "alerts are held only while a page is connected",
    edit: { file: "src/alerts/queue/approval.ts", from: "await holdAlerts(trx, overlay, held);", to: "" },
    killedBy: [["alerts/approve-alert", /while no page is connected/]],
  },
  "widgets-unmoderated": {
    broken: "widgets show the texts of alerts that are held or denied",
    edit: { file: "src/alerts/widgets/widget-board.ts", from: "unseen.has(one.donationId)", to: "false" },
    killedBy: [["overlay/stream-widgets", /whose alert is held, denied or masked/]],
  },
  "widgets-unfiltered": {
    broken: "widgets show blocked words when these have changed",
    edit: { file: "src/alerts/widgets/widget-board.ts", from: "JSON.stringify([blockedWords, blockedWordAction, ", to: "JSON.stringify([" },
    killedBy: [["overlay/stream-widgets", /mask blocked words/]],
  },
  "timed-out-mask-shows": {
    broken: "an alert that nobody decides about plays with its texts, though it should be masked",
    edit: { file: "src/alerts/queue/approval.ts", from: 'masked: decision === "mask"', to: "masked: false" },
    killedBy: [["alerts/approve-alert", /onTimeout mask decides/]],
  },
  "variation-lost-by-approval": {
    broken: "an alert that was held and approved has the default look",
    edit: {
      file: "src/alerts/queue/approval.ts",
      from: "const variation = chooseVariation(variations, alert);",
      to: "const variation = variations[20] ?? null;",
    },
    killedBy: [["alerts/alert-variations", /an alert that is approved/]],
  },
  "variation-of-no-first-replay": {
    broken: "a replay of an alert that was never played has the default look",
    edit: {
      file: "src/alerts/queue/intake.ts",
      from: ": chooseVariation(overlay.settings.variations, { ...content, channel: donation.channel });",
      to: ": null;",
    },
    killedBy: [["alerts/alert-variations", /a replay of one that was never played/]],
  },
  "variation-of-replay-anew": {
    broken: "the variation of a replay is chosen anew",
    edit: {
      file: "src/alerts/queue/intake.ts",
      from: `const variation = wasPlayed
`,
      to: `const variation = wasPlayed && content.amount < 0
`,
    },
    killedBy: [["alerts/alert-variations", /have the variation of before/]],
  },
  "widget-settings-of-another-key": {
    broken: "every page gets the settings of the streamer's first key with a widget",
    edit: {
      file: "src/alerts/connections/channel.ts",
      from: "keys.byKey.get(connection.keyId);",
      to: "[...keys.byKey.values()].find(({ widget }) => widget) ?? keys.byKey.get(connection.keyId);",
    },
    killedBy: [["overlay/studio", /reaches the open pages of its key/]],
  },
  "followers-always-at-the-beginning": {
    broken: "a page that joins an alert in the middle is told that it has just begun",
    edit: { file: "src/alerts/connections/connection.ts", from: "Math.max(0, Math.round(overlay.now - startedAt))", to: "0" },
    killedBy: [["alerts/lead-overlay", /in the middle of an alert is sent it with the time since its start/]],
  },
  "file-of-any-streamer": {
    broken: "a streamer deletes the files of another",
    edit: { file: "src/alerts/media/alert-files.ts", from: "where({ id: fileId, streamer_id: streamerId })", to: "where({ id: fileId })" },
    killedBy: [["alerts/alert-files", /another one neither lists nor deletes it/]],
  },
  "media-unlimited": {
    broken: "files at /media are read without a limit",
    edit: { file: "src/alerts/media/alert-files.ts", from: 'await limits.spend("media", network(caller.address))', to: "{}" },
    killedBy: [["transport/rate-limits", /files at \/media count/]],
  },
  "void-alert-waits": {
    broken: "a waiting alert of a void donation is played",
    edit: {
      file: "src/alerts/queue/playbacks.ts",
      from: "and donation_id = any(?::uuid[]) and status = 'queued'",
      to: "and donation_id = any(?::uuid[]) and status = 'no'",
    },
    killedBy: [["alerts/alert-states", /waiting alert whose donation is voided is skipped/]],
  },
  "void-alert-plays-on": {
    broken: "a playing alert of a void donation plays to its end",
    edit: {
      file: "src/alerts/queue/playbacks.ts",
      from: "[`p.donation_id = any(?::uuid[]) and p.state in ${openStates}`",
      to: "[`p.donation_id = any(?::uuid[]) and p.state in ${waitingStates}`",
    },
    killedBy: [["alerts/alert-states", /playing alert whose donation is voided is stopped/]],
  },
  "filtered-queue-skips": {
    broken: "after fifty alerts that are filtered the next hundred donations get none",
    edit: {
      file: "src/alerts/queue/intake.ts",
      from: "takenSequence: alerts[examined - 1]?.sequence ?? from,",
      to: "takenSequence: (alerts[examined - 1]?.sequence ?? from) + (skipped.length === batchSize ? 100 : 0),",
    },
    killedBy: [["alerts/update-alert-settings", /however many alerts are filtered before it/]],
  },
  "settings-at-intake": {
    broken: "an alert that was taken in is shown although the settings have changed since",
    edit: {
      file: "src/alerts/queue/filter.ts",
      from: "const verdict = verdictOf(next, overlay.settings);",
      to: 'const verdict = verdictOf(next, overlay.settings) && "play";',
    },
    killedBy: [["alerts/update-alert-settings", /hold for every alert that waits/]],
  },
  "blank-name-blocks": {
    broken: "an alert without a letter in its name is never ready, and holds up those behind it",
    edit: {
      file: "src/alerts/queue/speech.ts",
      from: "    underWay.add(playback.id);",
      to: `    underWay.add(playback.id);
    if (!/\\p{L}/u.test(playback.donatorName)) return;`,
    },
    killedBy: [["overlay/stream-overlay", /at the bounds of amount, texts and createdAt/]],
  },
  "speech-of-masked": {
    broken: "speech of an alert that was masked says name and message, as if it had not been",
    edit: {
      file: "src/alerts/queue/speech.ts",
      from: "spokenTexts(shownTexts(playback, overlay.settings))",
      to: "spokenTexts(shownTexts({ ...playback, masked: false }, overlay.settings))",
    },
    killedBy: [["overlay/speech-text", /that was masked/]],
  },
  "speech-of-another": {
    broken: "speech that is made at the same time is that of the first alert",
    edit: {
      file: "src/speech/speech-cache.ts",
      from: "pending.get(hash) ?? findOrMakeOnce",
      to: "[...pending.values()][0] ?? findOrMakeOnce",
    },
    killedBy: [["overlay/speech-text", /has its own speech/]],
  },
  "replay-filtered": {
    broken: "the filters skip a replay",
    edit: { file: "src/alerts/queue/filter.ts", from: "if (next.replay || next.approved)", to: "if (next.approved)" },
    killedBy: [["alerts/replay-alert", /is shown when a replay of it is requested/]],
  },
  "clear-takes-what-plays": {
    broken: "clearing the queue ends what plays",
    edit: {
      file: "src/alerts/queue/playbacks.ts",
      from: "const waitingStates = \"('preparing', 'queued')\";",
      to: "const waitingStates = openStates;",
    },
    killedBy: [["alerts/alert-queue", /lets the playing alert end/]],
  },
};
