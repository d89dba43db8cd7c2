// The home page: alerts to approve, how the day goes, the latest donations, and the alerts that wait, all live; for a new streamer the first steps.

import type { Schemas } from "../../http/operations.ts";
import { asText, type Html, html } from "../../ui/html.ts";
import { bilingual } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import { localDay } from "../../ui/times.ts";
import { heldAmong, type Queue, type Timeout } from "../alerts/held-alerts.ts";
import { type LivePart, livePart, partsOf } from "../alerts/live-alerts.ts";
import { type PlayingTime, readPlayingTime } from "../alerts/playing-time.ts";
import type { Donation } from "../components/donation.ts";
import { donationTable } from "../components/donation-table.ts";
import { emptyState, type PageContext, pageForm, staleLine, studioPage } from "../components/frame.ts";
import { type ComparedPeriods, comparedPeriods, periodFacts, periodsBefore } from "../donations/periods.ts";
import { noticeOf } from "../notices.ts";
import { overallPart } from "../overall.ts";
import { paths } from "../paths.ts";
import { readAlertSettings } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { readSteps, stepsCard, stepsForm } from "./first-steps.ts";

type Home = PageContext &
  Readonly<{
    queue: Queue;
    latest: readonly Donation[];
    held: ReadonlySet<string>;
    onTimeout: Timeout;
    time: PlayingTime | null;
    stats: Schemas["DonationStats"];
    before: ComparedPeriods;
    /** The first steps that are taken; null when they are over. */
    steps: Awaited<ReturnType<typeof readSteps>>;
  }>;

/** GET /studio/home */
export const showHome = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.home, async ({ account, query }) =>
    homePage(await readHome(deps, { site: deps.accounts.site, account, notice: noticeOf(query) })),
  );

/** GET /studio/home/now: the live parts of the page, which its script refreshes. */
export const showHomeNow = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.home, async ({ account }) => {
    const { site } = deps.accounts;
    const home = await readHome(deps, { site, account });
    return { status: 200, html: asText(html`${overallPart(site, home.queue)}${Object.values(homeParts(home))}`) };
  });

/** Alerts and donations that the page has room for. */
const shown = { waiting: 5, latest: 8 };

async function readHome(deps: StudioDeps, context: PageContext): Promise<Home> {
  const { client, now } = deps;
  const { id } = context.account.streamer;
  const today = localDay(now()); // the periods are the same for every range; a day is the cheapest one
  const [{ body: queue }, settings, { body: latest }, { body: stats }, before] = await Promise.all([
    client.call(id, "getAlertQueue"),
    readAlertSettings(client, id),
    client.call(id, "listDonations", { query: { sort: "-createdAt", status: "all", limit: shown.latest } }),
    client.call(id, "getDonationStats", { query: { from: today, to: today, timezone: currentReader().timeZone } }),
    periodsBefore(client, id, now()),
  ]);
  const [held, time, steps] = await Promise.all([
    heldAmong(deps, id, latest.data),
    readPlayingTime(deps, id, { queue: queue.data, settings }),
    readSteps(deps, id, queue.data.connected),
  ]);
  const { onTimeout } = settings;
  return { ...context, queue: queue.data, latest: latest.data, held, onTimeout, time, stats: stats.data, before, steps };
}

type HomePart = "steps" | "periods" | LivePart;

/** The live parts, which are the same for the same state. */
function homeParts({ site, queue, latest, held, onTimeout, time, stats, before, steps }: Home): Record<HomePart, Html> {
  const now = {
    site,
    queue: { ...queue, waiting: queue.waiting.slice(0, shown.waiting) },
    latest: [],
    notes: new Map(),
    held,
    onTimeout,
    time,
  } as const;
  const caption = { th: "โดเนทล่าสุด", en: "The latest donations" };
  return {
    ...partsOf({ ...now, back: "home" }),
    steps: livePart("steps", steps && stepsCard(site, steps)),
    periods: livePart("periods", periodFacts(stats, before, comparedPeriods)),
    latest: livePart("latest", latest.length === 0 ? nothing : donationTable({ site, donations: latest, held, caption })),
  };
}

const nothing = emptyState(
  "inbox",
  { th: "ยังไม่มีโดเนท", en: "No donations yet" },
  bilingual({ th: "รายการใหม่จะขึ้นที่นี่ทันที", en: "Each one shows up here the moment it comes in." }),
);

function homePage(page: Home): PageReply {
  const { site } = page;
  const part = homeParts(page);
  const back = html`<input type="hidden" name="back" value="home">`;
  return studioPage({
    ...page,
    here: paths.home,
    title: { th: "หน้าแรก", en: "Home" },
    content: html`${pageForm(page, paths.control, { content: back, id: "controls" })}${pageForm(page, paths.decide, { content: back, id: "decide" })}${page.steps && stepsForm(page)}
<div data-source="${site.path(paths.homeNow)}">
${staleLine}
${part.held}
${part.steps}
<section class="card" aria-label="${bilingual({ th: "ยอดของวัน สัปดาห์ และเดือนนี้", en: "Totals of this day, week and month" })}">${part.periods}</section>
<div class="columns">
<section class="card" aria-labelledby="latest">
<div class="titled"><h2 id="latest">${bilingual({ th: "โดเนทล่าสุด", en: "Latest donations" })}</h2><a href="${site.path(paths.history)}">${bilingual({ th: "ทั้งหมด", en: "All" })}</a></div>
${part.latest}
</section>
<section class="card" aria-labelledby="alerts">
<div class="titled"><h2 id="alerts">${bilingual({ th: "แจ้งเตือน", en: "Alerts" })}</h2><a href="${site.path(paths.alerts)}">${bilingual({ th: "เปิดคิว", en: "Open the queue" })}</a></div>
${part.status}
${part.playing}
${part.asking}
<div class="buttons">${part.toggle}${part.skip}${part.hide}</div>
${part.waiting}
</section>
</div>
<noscript><p><a href="${site.path(paths.home)}">${bilingual({ th: "โหลดหน้านี้ใหม่", en: "Refresh" })}</a></p></noscript>
</div>`,
  });
}
