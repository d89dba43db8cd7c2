// Mutants of the variations of alerts: which one a donation gets.

import type { Edit, Mutants } from "../mutant.ts";

const inOverlay = (file: string, from: string, to: string): Edit => ({ file: `src/alerts/${file}.ts`, from, to });
const rules = "alerts/alert-variations";

export const variations: Mutants = {
  "variation-last": {
    broken: "of several variations that fit, the last is played",
    edit: inOverlay("settings/variations", "variations.find((variation)", "variations.findLast((variation)"),
    killedBy: [[rules, /first of the list is played/]],
  },
  "variation-below-to": {
    broken: "a variation does not fit a donation of exactly its upper limit",
    edit: inOverlay("settings/variations", "amount <= to)", "amount < to)"),
    killedBy: [[rules, /a donation of 500 plays/]],
  },
  "variation-of-no-source": {
    broken: "an empty list of sources fits all",
    edit: inOverlay("settings/variations", "sources === null || sources.includes", "!sources?.length || sources.includes"),
    killedBy: [[rules, /fits donations of its sources and channels alone/]],
  },
  "variation-of-any-channel": {
    broken: "the channels of a variation are ignored",
    edit: inOverlay("settings/variations", "return fitsAmount && fitsSource && fitsChannel;", "return fitsAmount && fitsSource;"),
    killedBy: [[rules, /fits donations of its sources and channels alone/]],
  },
  "variation-of-channel-of-test": {
    broken: "a test alert has the channel other, so that the variation of no other channel can be tested",
    edit: inOverlay("settings/variations", 'source === "test" || channels', "channels"),
    killedBy: [
      [rules, /fits donations of its sources and channels alone/],
      [rules, /reaches the next test alert/],
    ],
  },
  "variation-of-source-or-channel": {
    broken: "a donation fits a variation by its source or by its channel",
    edit: inOverlay(
      "settings/variations",
      "fitsAmount && fitsSource && fitsChannel",
      "fitsAmount && ((sources !== null && fitsSource) || (channels !== null && fitsChannel) || (fitsSource && fitsChannel))",
    ),
    killedBy: [[rules, /fits donations of its sources and channels alone/]],
  },
  "variation-lost-by-approval": {
    broken: "an alert that was held and approved has the default look",
    edit: inOverlay(
      "store/approval/held-alerts",
      "const variation = chooseVariation(variations, alert);",
      "const variation = variations[20] ?? null;",
    ),
    killedBy: [[rules, /an alert that is approved/]],
  },
  "variation-of-no-first-replay": {
    broken: "a replay of an alert that was never played has the default look",
    edit: inOverlay(
      "store/controls",
      ": chooseVariation(overlay.settings.variations, { ...content, channel: donation.channel });",
      ": null;",
    ),
    killedBy: [[rules, /a replay of one that was never played/]],
  },
  "variation-of-replay-anew": {
    broken: "the variation of a replay is chosen anew",
    edit: inOverlay("store/controls", "const variation = wasPlayed\n", "const variation = wasPlayed && content.amount < 0\n"),
    killedBy: [[rules, /have the variation of before/]],
  },
};
