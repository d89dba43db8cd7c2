// Mutants of void donations.

import type { Edit, Mutants } from "../mutant.ts";

const inVoid = (file: string, from: string, to: string): Edit => ({ file: `src/corrections/${file}.ts`, from, to });
const edit = (file: string, from: string, to: string): Edit => ({ file: `src/${file}`, from, to });

export const voids: Mutants = {
  "void-stays-in-reports": {
    broken: "reports of a short history count void donations",
    edit: edit("reports/queries/short-history.ts", "where streamer_id = $1 and voided_at is null order", "where streamer_id = $1 order"),
    killedBy: [["donations/void-donations-left-out", /leaves today, this week, month and year/]],
  },
  "void-stays-in-roll-ups": {
    broken: "a donation that is voided stays in the roll-ups",
    edit: edit("reports/removal/removal.ts", "if (folded.length === 0) return;", "if (folded.length >= 0) return;"),
    killedBy: [["alerts/void-alerts", /voided some seconds later out/]],
  },
  "void-note-unchanged": {
    broken: "NUL and lone surrogates are kept in a note, which the database cannot store",
    edit: edit(
      "http/body/body.ts",
      "[storable(name), wellFormed(member)]",
      '[storable(name), name === "note" ? member : wellFormed(member)]',
    ),
    killedBy: [["donations/void-donation", /a note with NUL and a lone surrogate is accepted/]],
  },
  "void-answers-kept": {
    broken: "the event of a void takes no number, so that answers from before are kept",
    edit: edit(
      "events/record-events.ts",
      "{ count: events.length, streamerId }",
      '{ count: type === "donation.voided" ? 0 : events.length, streamerId }',
    ),
    killedBy: [["donations/void-donations-left-out", /leaves today, this week, month and year/]],
  },
  "void-listed": {
    broken: "lists, searches and exports contain void donations unasked",
    edit: edit("donations/list/index-scan.ts", 'if (filters.status !== "all") sql.push(', 'if (filters.status === "voided") sql.push('),
    killedBy: [
      ["donations/void-donations-left-out", /list sorted by/],
      ["donations/void-donations-left-out", /search leaves void/],
      ["donations/void-donations-left-out", /export leaves void/],
    ],
  },
  "void-alert-waits": {
    broken: "a waiting alert of a void donation is played",
    edit: edit(
      "alerts/store/end-alerts.ts",
      "and donation_id = any(?::uuid[]) and status = 'queued'",
      "and donation_id = any(?::uuid[]) and status = 'no'",
    ),
    killedBy: [["alerts/void-alerts", /waiting alert whose donation is voided is skipped/]],
  },
  "void-alert-plays-on": {
    broken: "a playing alert of a void donation plays to its end",
    edit: edit(
      "alerts/store/playbacks.ts",
      "[`p.donation_id = any(?::uuid[]) and p.state in ${openStates}`",
      "[`p.donation_id = any(?::uuid[]) and p.state in ${waitingStates}`",
    ),
    killedBy: [["alerts/void-alerts", /playing alert whose donation is voided is stopped/]],
  },
  "void-replayed": {
    broken: "a void donation's alert can be replayed",
    edit: edit("alerts/store/controls.ts", 'if (donation.is_void) return "void";', ""),
    killedBy: [["alerts/void-alerts", /replay of it is refused/]],
  },
  "void-by-anybody": {
    broken: "an application of OAuth voids what another has recorded",
    edit: inVoid("handler", 'return credential.kind === "api_key" || ', 'return credential.kind !== "overlay_key" || '),
    killedBy: [["donations/void-donation", /can't void what another has recorded/]],
  },
  "void-by-recorder-alone": {
    broken: "a key of the streamer voids only what its own application has recorded",
    edit: inVoid("handler", 'return credential.kind === "api_key" || ', "return credential.id === applicationId || "),
    killedBy: [["donations/void-donation", /voids what any application has recorded/]],
  },
  "void-second-reason": {
    broken: "voiding again for another reason is answered as if it was the same",
    edit: inVoid("handler", "if (donation.voided?.reason !== reason)", "if (!donation.voided)"),
    killedBy: [["donations/void-donation", /another reason is refused with already_voided/]],
  },
  "void-twice": {
    broken: "voiding again tells of it again",
    edit: inVoid("void-donations", "donation.voided === null && may(donation)", "may(donation)"),
    killedBy: [["donations/void-donation", /no further effect/]],
  },
  "void-goes-untold": {
    broken: "donation.voided is not recorded, though it takes its number",
    edit: edit("events/voided.ts", 'type: "donation.voided" }', 'type: "donation.nothing" as never }'),
    killedBy: [
      ["alerts/void-alerts", /the log tells first/],
      ["donations/void-donation", /one event donation\.voided/],
    ],
  },
  "void-without-time": {
    broken: "the record of a void donation does not say so",
    edit: edit("donations/donation.ts", "voided: voided && { at: formatInstant(voided.at), reason: voided.reason },", "voided: null,"),
    killedBy: [["donations/void-donation", /the time and the reason in voided/]],
  },
};
