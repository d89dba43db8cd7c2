// The money page: what came in, by period, over time, by donator and by channel. What it shows is live.

import { asText, html } from "../../ui/html.ts";
import { currentReader } from "../../ui/reader.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { localDay } from "../../ui/times.ts";
import { validationFaults } from "../components/fields.ts";
import { overallOf } from "../overall.ts";
import { paths } from "../paths.ts";
import type { StreamerClient } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { scales } from "./bar-chart.ts";
import { type Money, type MoneyFaults, moneyPage, moneyParts } from "./money-page.ts";
import { minuteOf, periodsBefore } from "./periods.ts";
import { daysBefore, findReversedDays, type MoneySpan, readSpan } from "./spans.ts";

const topSize = 10;

/** GET /studio/money */
export const showMoney = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.money, async ({ account, query }) => moneyPage(await readMoney(deps, account, query)));

/** GET /studio/money/now: the live parts of the page, which its script refreshes. */
export const showMoneyNow = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.money, async ({ account, query }) => {
    const money = await readMoney(deps, account, query);
    const parts = "faults" in money ? [] : Object.values(moneyParts(money));
    return { status: 200, html: asText(html`${overallOf(money.site, account)}${parts}`) };
  });

async function readMoney(deps: StudioDeps, account: Account, query: URLSearchParams): Promise<Money | MoneyFaults> {
  const { accounts, client, now } = deps;
  const span = readSpan(query, localDay(now()));
  const scale = scales.find((known) => known === query.get("scale")) ?? "linear";
  const page = { site: accounts.site, account, span, scale };
  const asked = { from: span.from, to: span.to, timezone: currentReader().timeZone };
  try {
    client.check("getDonationStats", { query: asked, faults: findReversedDays(span) });
    return { ...page, ...(await readReports(deps, account.streamer.id, { asked, span })) };
  } catch (error) {
    const faults = validationFaults(error);
    if (!faults) throw error;
    return { ...page, faults };
  }
}

type Asked = Readonly<{ asked: Readonly<Record<"from" | "to" | "timezone", string>>; span: MoneySpan }>;

async function readReports({ client, now }: StudioDeps, id: string, { asked, span }: Asked) {
  const [stats, earlier, trend, top, channels, periods] = await Promise.all([
    client.callWithinLimit(id, "getDonationStats", { query: asked }),
    readEarlier(client, id, daysBefore(span, minuteOf(now()), asked.timezone)),
    client.callWithinLimit(id, "getAmountTrends", { query: { ...asked, interval: span.interval } }),
    client.callWithinLimit(id, "listTopDonators", { query: { ...asked, limit: topSize } }),
    client.callWithinLimit(id, "getChannelBreakdown", { query: asked }),
    periodsBefore(client, id, now()),
  ]);
  const data = <Data>({ body }: { body: { data: Data } }) => body.data;
  return { stats: data(stats), earlier, trend: data(trend), top: data(top), channels: data(channels), before: periods };
}

async function readEarlier(client: StreamerClient, id: string, { from, to }: ReturnType<typeof daysBefore>) {
  if (from >= to || new Date(from).getUTCFullYear() < 0) return null; // reports know no days before the year 0
  const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), timezone: currentReader().timeZone };
  return (await client.callWithinLimit(id, "getDonationStats", { query })).body.data;
}
