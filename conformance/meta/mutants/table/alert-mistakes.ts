// The part of mistakes.ts that is about alerts: the queue, its controls and settings, speech.

import type { Edit, Mutants } from "../mutant.ts";

const inOverlay = (file: string, from: string, to: string): Edit => ({ file: `src/alerts/${file}.ts`, from, to });

const inSpeech = (file: string, from: string, to: string): Edit => ({ file: `src/speech/${file}.ts`, from, to });

export const alertMistakes: Mutants = {
  "alert-trimmed": {
    broken: "blanks around a name are lost on its way to overlay and queue",
    edit: inOverlay("store/donated", "donatorName: row.donator_name,", "donatorName: row.donator_name.trim(),"),
    killedBy: [["overlay/stream-overlay", /reach queue, alert and widgets as they were sent/]],
  },
  "alert-line-ends": {
    broken: "CR LF in a message is LF on its way to overlay and queue",
    edit: inOverlay("store/donated", "message: row.message,", 'message: row.message.replaceAll("\\r\\n", "\\n"),'),
    killedBy: [["overlay/stream-overlay", /reach queue, alert and widgets as they were sent/]],
  },
  "widgets-composed": {
    broken: "widgets compose the letters of messages",
    edit: inOverlay(
      "widgets/widget-texts",
      "...(one.message !== undefined && { message })",
      '...(one.message !== undefined && { message: message.normalize("NFC") })',
    ),
    killedBy: [["overlay/stream-overlay", /reach queue, alert and widgets as they were sent/]],
  },
  "satang-alerts-left-out": {
    broken: "alerts of less than half a satang are skipped",
    edit: inOverlay(
      "settings/alert-filter",
      "if (amount < settings.minimumAmount)",
      "if (amount < 0.005 || amount < settings.minimumAmount)",
    ),
    killedBy: [["overlay/stream-overlay", /at the bounds of amount, texts and createdAt/]],
  },
  "blank-name-blocks": {
    broken: "an alert without a letter in its name is never ready, and holds up those behind it",
    edit: inOverlay(
      "player/prepare-speech",
      "    underWay.add(playback.id);",
      "    underWay.add(playback.id);\n    if (!/\\p{L}/u.test(playback.donatorName)) return;",
    ),
    killedBy: [["overlay/stream-overlay", /at the bounds of amount, texts and createdAt/]],
  },
  "speech-unmasked": {
    broken: "speech says the words that the alert hides",
    edit: inOverlay("player/prepare-speech", "spokenTexts(shownTexts(playback, overlay.settings))", "spokenTexts(playback)"),
    killedBy: [
      ["overlay/speech-text", /hidden by mask_word/],
      ["overlay/speech-text", /hidden by mask_text/],
      ["overlay/speech-text", /that was masked/],
    ],
  },
  "speech-of-masked": {
    broken: "speech of an alert that was masked says name and message, as if it had not been",
    edit: inOverlay(
      "player/prepare-speech",
      "spokenTexts(shownTexts(playback, overlay.settings))",
      "spokenTexts(shownTexts({ ...playback, masked: false }, overlay.settings))",
    ),
    killedBy: [["overlay/speech-text", /that was masked/]],
  },
  "speech-without-amount": {
    broken: "speech leaves out the amount",
    edit: inSpeech("speech-text", "โดเนท${thaiAmount(amount, currency)}", "โดเนท"),
    killedBy: [["overlay/speech-text", /says name, amount in Thai words, and message/]],
  },
  "speech-of-another": {
    broken: "speech that is made at the same time is that of the first alert",
    edit: inSpeech("speech-cache", "pending.get(hash) ?? findOrMakeOnce", "[...pending.values()][0] ?? findOrMakeOnce"),
    killedBy: [["overlay/speech-text", /has its own speech/]],
  },
  "speech-cached-by-voice": {
    broken: "all speech of a voice is that of the first text",
    edit: inSpeech("speech-cache", "[speaker, language, text, ...", "[speaker, language, ..."),
    killedBy: [["overlay/speech-text", /has its own speech/]],
  },
  "replay-last": {
    broken: "a replay waits behind the alerts that wait already",
    edit: inOverlay("store/playbacks", "p.priority desc, p.replay desc,", "p.priority desc, p.replay,"),
    killedBy: [["alerts/replay-alert", /comes before waiting alerts/]],
  },
  "replay-filtered": {
    broken: "the filters skip a replay",
    edit: inOverlay("store/play-next", "if (next.replay || next.approved)", "if (next.approved)"),
    killedBy: [["alerts/replay-alert", /is shown when a replay of it is requested/]],
  },
  "skip-not-while-paused": {
    broken: "a paused queue refuses to skip what plays",
    edit: inOverlay("store/controls", "if (!current) return false;", "if (!current || overlay.paused) return false;"),
    killedBy: [["alerts/skip-alert", /paused/]],
  },
  "clear-takes-what-plays": {
    broken: "clearing the queue ends what plays",
    edit: inOverlay("store/playbacks", "const waitingStates = \"('preparing', 'queued')\";", "const waitingStates = openStates;"),
    killedBy: [["alerts/clear-alerts", /lets the playing alert end/]],
  },
  "shown-at-moves": {
    broken: "shownAt is the time of the last showing",
    edit: inOverlay("store/playbacks", "coalesce(a.shown_at, m.ended_at)", "m.ended_at"),
    killedBy: [["alerts/replay-alert", /shownAt stays the first time/]],
  },
  "waiting-count-with-playing": {
    broken: "waitingCount counts what plays",
    edit: inOverlay("store/queue", " and p.state not in ('leased', 'playing')) as count", ") as count"),
    killedBy: [["alerts/get-alert-queue", /shown as playing, the others as waiting/]],
  },
  "reason-kept": {
    broken: "an alert that is replayed keeps the reason why it was skipped",
    edit: inOverlay("store/playbacks", "set status = excluded.status, reason = null,", "set status = excluded.status,"),
    killedBy: [["alerts/alert-states", /replay/]],
  },
  "goal-stays": {
    broken: "null does not remove the goal",
    edit: inOverlay("settings/settings", "value !== undefined));", "value !== undefined && value !== null));"),
    killedBy: [["alerts/update-alert-settings", /null removes the goal/]],
  },
  "names-unfiltered": {
    broken: "blocked words in a name are shown",
    edit: inOverlay("settings/alert-filter", "[donatorName, message]", "[message]"),
    killedBy: [["alerts/update-alert-settings", /off the stream/]],
  },
  "queue-of-49": {
    broken: "a queue with fifty alerts shows forty-nine",
    edit: inOverlay("store/queue", ".slice(0, maxWaiting),", ".slice(0, maxWaiting - 1),"),
    killedBy: [["alerts/get-alert-queue", /first 50 waiting alerts/]],
  },
  "speech-of-anybody": {
    broken: "the speech of any streamer can be read",
    edit: inOverlay(
      "handlers",
      "(await ownsSpeech(knex, streamerId, path.speechId))",
      "((await ownsSpeech(knex, streamerId, path.speechId)) || true)",
    ),
    killedBy: [["overlay/get-speech", /for other streamers it does not exist/]],
  },
};
