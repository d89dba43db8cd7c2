// How alerts stand, which every page of the studio shows in its frame: whether an overlay is connected, whether alerts are paused, how many wait.

import type { QueueState } from "../alerts/queue/read-queue.ts";
import type { Site } from "../http/base-url.ts";
import { Problem } from "../http/problem.ts";
import { asText, type Html, html } from "../ui/html.ts";
import { bilingual } from "../ui/layout.ts";
import type { PageHandler, PageReply } from "../ui/serve-pages.ts";
import type { Account, Accounts, FormPost } from "../ui/streamer-pages.ts";
import { paths } from "./paths.ts";

/** `overall`: how alerts stand; null: it can't be read now, which keeps nobody from a page. */
export type StudioAccount = Account & Readonly<{ overall?: QueueState | null }>;

/** Accounts of which every page and form knows how alerts stand. A form that finds the alert settings changed by others is handled again. */
export function withOverall(accounts: Accounts, readState: (streamerId: string) => Promise<QueueState>): Accounts {
  const add = async (account: Account): Promise<StudioAccount> => ({
    ...account,
    overall: await readState(account.streamer.id).catch(() => null),
  });
  return {
    ...accounts,
    page: (path, show) => accounts.page(path, async (visit) => show({ ...visit, account: await add(visit.account) })),
    form: (path, handle) => accounts.form(path, async (post) => onCurrentSettings(handle, { ...post, account: await add(post.account) })),
  };
}

/** As often as several people may save in the same moment. */
const maxTries = 20;

async function onCurrentSettings(handle: (post: FormPost) => Promise<PageReply>, post: FormPost): Promise<PageReply> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await handle(post);
    } catch (error) {
      if (!(error instanceof Problem && error.code === "precondition_failed") || tries === maxTries) throw error;
    }
  }
}

/** GET /studio/overall: what the script refreshes on pages without live parts of their own. */
export const showOverall = ({ accounts }: Readonly<{ accounts: Accounts }>): PageHandler =>
  accounts.page(paths.alerts, async ({ account }) => {
    const overall = overallOf(accounts.site, account);
    return { status: 200, html: overall ? asText(overall) : "" };
  });

/** How alerts stand, for the frame of a page of the account; null when it can't be read now. */
export function overallOf(site: Site, { overall }: StudioAccount): Html | null {
  return overall ? overallPart(site, overall) : null;
}

/** A link to the alerts page, the same for the same state, so that the script can tell what has changed. */
export function overallPart(site: Site, state: QueueState): Html {
  const { kind, th, en } = stateOf(state);
  const { waitingCount, heldCount } = state;
  const waits = waitingCount > 0 && html` · ${bilingual({ th: `รออยู่ ${waitingCount}`, en: `${waitingCount} waiting` })}`;
  const holds = heldCount > 0 && html` · ${bilingual({ th: `รออนุมัติ ${heldCount}`, en: `${heldCount} to approve` })}`;
  return html`<div class="overall" id="live-overall" data-live data-overall="${site.path(paths.overall)}"><a id="overall" class="state ${kind}" href="${site.path(paths.alerts)}"><span>${bilingual({ th, en })}${waits}${holds}</span></a></div>`;
}

function stateOf({ paused, asking, hidden, connected }: QueueState): { kind: string; th: string; en: string } {
  if (hidden) return { kind: "away", th: "ซ่อนทุกอย่างอยู่", en: "All hidden" };
  if (asking) return { kind: "paused", th: "รอคุณเลือก", en: "Waits for you" };
  if (paused) return { kind: "paused", th: "หยุดพักอยู่", en: "Paused" };
  return connected ? { kind: "good", th: "ต่อ OBS แล้ว", en: "Connected" } : { kind: "away", th: "ยังไม่ต่อ OBS", en: "No overlay" };
}
