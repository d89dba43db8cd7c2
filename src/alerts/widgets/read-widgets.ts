// Reads the figures that a streamer's widgets show, from the reports and from the list of donations.

import type { Knex } from "knex";
import { formatInstant } from "../../base/instant.ts";
import { msPerDay } from "../../base/local-days.ts";
import { isErased, type StoredDonation } from "../../donations/donation.ts";
import type { Position, Sort } from "../../donations/list/page-request.ts";
import type { DonationStore } from "../../donations/store.ts";
import type { Range } from "../../http/contract/parameters.ts";
import { countedSources, maxItemsOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import { type GoalFigures, type WidgetFigures, widgetFigures } from "../../reports/widgets.ts";
import { readWidgetTimer } from "../timer/timer-log.ts";
import type { ReadWidgets } from "./widget-board.ts";

const maxRecent = maxItemsOf("Widgets", "recent");
/** Donations dated further ahead are not recent: one of the year 9999 would stay at the top. A sender's clock or zone may be wrong by less. */
const maxAheadMs = msPerDay;

/** Pages that are read at most to find donations of donators who were not erased. */
const maxPages = 5;

/** Every widget counts the donations of all channels. Donators who were erased are in the sums alone. */
export function readWidgets(knex: Knex, reportReads: Knex, donations: DonationStore): ReadWidgets {
  const all = { channels: null, sources: countedSources, identifier: null, status: "active", minAmount: null, maxAmount: null } as const;

  /** Reads the first donations of this order whose donators were not erased. */
  const findNamed = async (streamerId: string, { sort, range, limit }: Wanted): Promise<StoredDonation[]> => {
    const found: StoredDonation[] = [];
    let after: Position | null = null;
    for (let page = 0; page < maxPages; page += 1) {
      const request = { sort, filters: { ...all, range }, q: null, after, limit: page === 0 ? limit : 100 };
      const next = await donations.page(streamerId, request);
      found.push(...next.donations.filter((one) => !isErased(one)));
      if (found.length >= limit || !next.hasMore) break;
      after = next.last;
    }
    return found.slice(0, limit);
  };

  const findLargest = async (
    streamerId: string,
    { id, span }: WidgetFigures["largest"]["all"],
  ): Promise<Schemas["RecentDonation"] | null> => {
    const largest = id === null ? null : await donations.find(streamerId, id);
    const named = largest && isErased(largest) ? (await findNamed(streamerId, { sort: "-amount", range: span, limit: 1 }))[0] : largest;
    return named ? shownDonation(named) : null;
  };

  return async (streamerId, goals) => {
    const now = Date.now();
    const figures = await widgetFigures(reportReads, streamerId, goals, now);
    const { largest } = figures;
    const progress = goals.map(({ id, title, target, to = null }, i) => ({ id, title, target, to, ...(figures.goals[i] as GoalFigures) }));
    const [recent, day, week, month, ever, timer] = await Promise.all([
      findNamed(streamerId, { sort: "-createdAt", range: { from: null, to: now + maxAheadMs }, limit: maxRecent }),
      findLargest(streamerId, largest.day),
      findLargest(streamerId, largest.week),
      findLargest(streamerId, largest.month),
      findLargest(streamerId, largest.all),
      readWidgetTimer(knex, streamerId),
    ]);
    return {
      validUntil: figures.validUntil,
      widgets: {
        asOf: formatInstant(now),
        goal: firstOf(progress),
        goals: progress,
        totals: figures.totals,
        recent: recent.map(shownDonation),
        top: figures.top,
        topOf: figures.topOf,
        largest: { day, week, month, all: ever },
        timer,
      },
    };
  };
}

type Progress = Schemas["Widgets"]["goals"];

/** The first goal without its id. */
function firstOf([first]: Progress): Schemas["GoalProgress"] | null {
  if (!first) return null;
  const { id: _, ...goal } = first;
  return goal;
}

type Wanted = Readonly<{ sort: Sort; range: Range; limit: number }>;

function shownDonation(donation: StoredDonation): Schemas["RecentDonation"] {
  const { id, donatorName, amount, currency, message, createdAt, createdOffset } = donation;
  return { donationId: id, donatorName, amount, currency, message, createdAt: formatInstant(createdAt, createdOffset ?? 0) };
}
