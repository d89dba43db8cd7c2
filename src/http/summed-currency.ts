// The currency of sums. This file may be bundled for browsers: types of the contract, and nothing of Node.

import type { components } from "../../generated/api.d.ts";

export type Currency = components["schemas"]["Currency"];

type First = "THB";
type Second = Exclude<Currency, First>;

/** Not to be got around by a cast: before a second currency is taken, each of these must be kept for each currency. */
type Sole = [Second] extends [never]
  ? First
  : `${Second} can't be taken yet: reports, roll-ups (fold.sql), widgets, the goal and minimumAmount would add it to ${First}`;

/**
 * The currency of every amount that stands without one: sums of reports and widgets, the goal, the smallest amount that alerts. They are
 * added up and compared without a look at the donation's currency, so a second currency in spec/ does not compile here.
 */
export const summedIn: Sole = "THB";
