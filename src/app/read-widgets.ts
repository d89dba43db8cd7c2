// Reads the figures that a streamer's widgets show, from the reports and from the list of donations.

import type { Database } from "../db/database.ts";
import type { DonationStore } from "../donations/store.ts";
import { countedSources, maxItemsOf } from "../http/published.ts";
import type { ReadWidgets } from "../overlay/dependencies.ts";
import { widgetFigures } from "../reports/widgets.ts";
import { formatInstant } from "../time/instant.ts";

const maxRecent = maxItemsOf("Widgets", "recent");
/** Donations dated further ahead are not recent: one of the year 9999 would stay at the top. A sender's clock or zone may be wrong by less. */
const maxAheadMs = 86_400_000;

/** Every widget counts the donations of all channels. */
export function readWidgets(reportReads: Database["knex"], donations: Pick<DonationStore, "page">): ReadWidgets {
  const all = { channels: null, sources: countedSources, identifier: null, status: "active", minAmount: null, maxAmount: null } as const;
  return async (streamerId, goal) => {
    const now = Date.now();
    const figures = await widgetFigures(reportReads, streamerId, goal?.from ?? null, now);
    const filters = { ...all, range: { from: null, to: now + maxAheadMs } };
    const page = await donations.page(streamerId, { sort: "-createdAt", filters, q: null, after: null, limit: maxRecent });
    return {
      validUntil: figures.validUntil,
      widgets: {
        asOf: formatInstant(now),
        goal: goal && { title: goal.title, target: goal.target, current: figures.sinceGoal ?? 0 },
        totals: figures.totals,
        recent: page.donations.map(({ id, donatorName, amount, currency, message, createdAt, createdOffset }) => ({
          donationId: id,
          donatorName,
          amount,
          currency,
          message,
          createdAt: formatInstant(createdAt, createdOffset ?? 0),
        })),
        top: figures.top,
      },
    };
  };
}
