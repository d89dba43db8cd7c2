// Which names and messages widgets show: none that the settings or a moderator keep off the stream.

import { makeYield } from "../../base/async.ts";
import type { Schemas } from "../../http/operations.ts";
import { shownTexts } from "../queue/filter.ts";
import type { Overlay } from "../queue/overlay.ts";
import { mayHold, type Settings } from "../settings/settings.ts";
import type { Wanted } from "./widget-board.ts";

type Widgets = Schemas["Widgets"];

/** What the widgets' reading must include. Where alerts are approved, every change of the queue may be a decision. */
export function wantedOf({ lastSequence, settings, version }: Overlay): Wanted {
  const { goal, blockedWords, blockedWordAction } = settings;
  const texts = JSON.stringify([blockedWords, blockedWordAction, mayHold(settings) ? version : 0]);
  return { sequence: lastSequence, goal, texts };
}

/** Ids of the donations that widgets show one by one. */
export function shownIds({ recent, largest }: Widgets): string[] {
  return [...recent, ...Object.values(largest)].flatMap((donation) => (donation ? [donation.donationId] : []));
}

/** The widgets as they may be seen. `unseen`: ids of donations whose name and message are hidden; their amounts count. */
export async function seenWidgets(widgets: Widgets, settings: Settings, unseen: ReadonlySet<string>): Promise<Widgets> {
  const letOthers = makeYield();
  const seen = async <T extends { donatorName: string; message?: string }>(one: T, masked: boolean): Promise<T> => {
    await letOthers();
    const { donatorName, message } = shownTexts({ donatorName: one.donatorName, message: one.message ?? "", masked }, hiding(settings));
    return { ...one, donatorName, ...(one.message !== undefined && { message }) };
  };
  const donation = (one: Schemas["RecentDonation"]) => seen(one, unseen.has(one.donationId));
  const largest = async (one: Schemas["RecentDonation"] | null) => one && donation(one);
  const donators = (list: Schemas["WidgetDonator"][]) => Array.fromAsync(list, (one) => seen(one, false));
  const { topOf } = widgets;
  return {
    ...widgets,
    recent: await Array.fromAsync(widgets.recent, donation),
    top: await donators(widgets.top),
    topOf: { day: await donators(topOf.day), week: await donators(topOf.week), month: await donators(topOf.month) },
    largest: {
      day: await largest(widgets.largest.day),
      week: await largest(widgets.largest.week),
      month: await largest(widgets.largest.month),
      all: await largest(widgets.largest.all),
    },
  };
}

/** An alert with a blocked word is left out or held, but a donation counts: its text is hidden. */
function hiding(settings: Settings): Settings {
  const { blockedWordAction: action } = settings;
  return action === "skip" || action === "hold" ? { ...settings, blockedWordAction: "mask_text" } : settings;
}
