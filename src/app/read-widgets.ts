// Reads the figures that a streamer's widgets show, from the reports and from the list of donations.

import type { Database } from "../db/database.ts";
import type { StoredDonation } from "../donations/donation.ts";
import type { DonationStore } from "../donations/store.ts";
import { countedSources, maxItemsOf } from "../http/contract/published.ts";
import type { Schemas } from "../http/operations.ts";
import type { ReadWidgets } from "../overlay/dependencies.ts";
import { widgetFigures } from "../reports/widgets.ts";
import { formatInstant } from "../time/instant.ts";
import { msPerDay } from "../time/local-days.ts";

const maxRecent = maxItemsOf("Widgets", "recent");
/** Donations dated further ahead are not recent: one of the year 9999 would stay at the top. A sender's clock or zone may be wrong by less. */
const maxAheadMs = msPerDay;

/** Every widget counts the donations of all channels. */
export function readWidgets(reportReads: Database["knex"], donations: Pick<DonationStore, "page" | "find">): ReadWidgets {
  const all = { channels: null, sources: countedSources, identifier: null, status: "active", minAmount: null, maxAmount: null } as const;

  /** Finds each donation once; the largest of several periods is often the same. */
  const findAll = async (streamerId: string, ids: WidgetIds): Promise<Schemas["WidgetLargest"]> => {
    const different = [...new Set(Object.values(ids))].filter((id) => id !== null);
    const found = await Promise.all(different.map((id) => donations.find(streamerId, id)));
    const byId = new Map(found.flatMap((donation) => (donation ? [[donation.id, shownDonation(donation)]] : [])));
    const shown = (id: string | null) => byId.get(id ?? "") ?? null;
    return { day: shown(ids.day), week: shown(ids.week), month: shown(ids.month), all: shown(ids.all) };
  };

  return async (streamerId, goal) => {
    const now = Date.now();
    const figures = await widgetFigures(reportReads, streamerId, goal, now);
    const filters = { ...all, range: { from: null, to: now + maxAheadMs } };
    const [page, largest] = await Promise.all([
      donations.page(streamerId, { sort: "-createdAt", filters, q: null, after: null, limit: maxRecent }),
      findAll(streamerId, figures.largest),
    ]);
    return {
      validUntil: figures.validUntil,
      widgets: {
        asOf: formatInstant(now),
        goal: goal && figures.goal && { title: goal.title, target: goal.target, to: goal.to ?? null, ...figures.goal },
        totals: figures.totals,
        recent: page.donations.map(shownDonation),
        top: figures.top,
        topOf: figures.topOf,
        largest,
      },
    };
  };
}

type WidgetIds = Readonly<Record<keyof Schemas["WidgetLargest"], string | null>>;

function shownDonation(donation: StoredDonation): Schemas["RecentDonation"] {
  const { id, donatorName, amount, currency, message, createdAt, createdOffset } = donation;
  return { donationId: id, donatorName, amount, currency, message, createdAt: formatInstant(createdAt, createdOffset ?? 0) };
}
