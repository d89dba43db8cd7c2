// The currency of sums. This file is bundled for browsers, so it uses only types of the contract and nothing of Node.

import type { components } from "../../generated/api.d.ts";

export type Currency = components["schemas"]["Currency"];

type First = "THB";
type Second = Exclude<Currency, First>;

/** Do not avoid this by a cast: before a second currency is accepted, each of these sums must be kept for each currency. */
type Sole = [Second] extends [never]
  ? First
  : `${Second} can't be taken yet: reports, roll-ups (fold-statements.ts), widgets, the goal and minimumAmount would add it to ${First}`;

/**
 * The currency of every amount that is given without one: sums of reports and widgets, the goal, the minimum amount of alerts. They are added up
 * and compared without checking the donation's currency, so a second currency in spec/ does not compile here.
 */
export const summedIn: Sole = "THB";
