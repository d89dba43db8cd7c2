// The pages of webhooks: where the streamer's events are sent, the state of each endpoint, and what became of each event.

import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import type { Account, FormPost } from "../../ui/streamer-pages.ts";
import { readTyped, toMembers, toTyped } from "../components/described-form.ts";
import type { FieldFaults } from "../components/fields.ts";
import { backTo, type NoticeName, noticeOf, orBack, type WaysBack } from "../notices.ts";
import { paths, webhookAddress } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { deliveryStatusOf, type WebhookTested } from "./webhook-deliveries.ts";
import { initialWebhookForm, orFaults, type WebhookForm, webhookForm } from "./webhook-form.ts";
import { recoveryHoursOf, secretNameOf, type WebhooksPage, webhookPage, webhookSecretPage, webhooksPage } from "./webhook-pages.ts";

/** GET /studio/webhooks */
export const showWebhooks = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.webhooks, ({ account, query }) =>
    renderWebhooks(deps, account, { notice: noticeOf(query), form: { typed: initialWebhookForm, faults: {} } }),
  );

/** POST /studio/webhooks: shows the new endpoint's secret in the response to this form, and never again. */
export const createWebhook = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.webhooks, async ({ account, form }) => {
    const { accounts, webhooks } = deps;
    const typed = readTyped(webhookForm, form);
    const made = await orFaults(() => webhooks.create(account.streamer.id, typed.application, toMembers(webhookForm, typed)));
    if ("faults" in made) return renderWebhooks(deps, account, { status: 400, form: { typed, faults: made.faults } });
    return webhookSecretPage({ site: accounts.site, account, webhook: made.done, isNew: true });
  });

type State = Pick<WebhooksPage, "status" | "notice" | "form">;

async function renderWebhooks({ accounts, webhooks }: StudioDeps, account: Account, state: State): Promise<PageReply> {
  const found = await webhooks.list(account.streamer.id);
  return webhooksPage({ site: accounts.site, account, found, ...state });
}

const deliveriesPerPage = 20;

/** GET /studio/webhooks/endpoint */
export const showWebhook = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.webhooks, ({ account, query }) =>
    orBack(deps.accounts.site, waysBack(""), () => renderWebhook(deps, account, { webhookId: query.get("id") ?? "", query })),
  );

/** POST /studio/webhooks/change */
export const changeWebhook = (deps: StudioDeps): PageHandler =>
  onWebhook(deps, async ({ account, form, webhookId }) => {
    const typed = readTyped(webhookForm, form);
    const changed = await orFaults(() => deps.webhooks.change(account.streamer.id, webhookId, toMembers(webhookForm, typed)));
    if (!("faults" in changed)) return backTo(deps.accounts.site, webhookAddress(webhookId), "saved");
    return renderWebhook(deps, account, { webhookId, form: { typed, faults: changed.faults } });
  });

/** POST /studio/webhooks/enable */
export const enableWebhook = (deps: StudioDeps): PageHandler =>
  onWebhook(deps, async ({ account, form, webhookId }) => {
    const enabled = form.get("enabled") === "true";
    await deps.webhooks.change(account.streamer.id, webhookId, { enabled });
    return backTo(deps.accounts.site, webhookAddress(webhookId), enabled ? "enabled" : "disabled");
  });

/**
 * POST /studio/webhooks/rotate: shows the new secret in the response to this form, and never again. The form names the secret that it
 * replaces, so that a reload or a second tab, which sends the form again, does not replace the one that was copied a moment ago.
 */
export const rotateSecret = (deps: StudioDeps): PageHandler =>
  onWebhook(deps, async ({ account, form, webhookId }) => {
    const { accounts, webhooks } = deps;
    const { webhook } = await webhooks.find(account.streamer.id, webhookId);
    const isNewest = form.get("replaces") === secretNameOf(webhook);
    const rotated = isNewest ? await webhooks.rotate(account.streamer.id, webhookId, webhook.previousSecretUntil) : null;
    if (!rotated) return backTo(accounts.site, webhookAddress(webhookId), "rotated-already");
    return webhookSecretPage({ site: accounts.site, account, webhook: rotated, isNew: false });
  });

/** POST /studio/webhooks/delete */
export const deleteWebhook = (deps: StudioDeps): PageHandler =>
  onWebhook(deps, async ({ account, webhookId }) => {
    await deps.webhooks.remove(account.streamer.id, webhookId);
    return backTo(deps.accounts.site, paths.webhooks, "deleted");
  });

/** POST /studio/webhooks/test: answers with how the endpoint answered. */
export const testWebhook = (deps: StudioDeps): PageHandler =>
  onWebhook(deps, async ({ account, webhookId }) => {
    const tested = await deps.webhooks.test(account.streamer.id, webhookId);
    return renderWebhook(deps, account, { webhookId, tested });
  });

/** POST /studio/webhooks/redeliver */
export const redeliver = (deps: StudioDeps): PageHandler =>
  onWebhook(deps, async ({ account, form, webhookId }) => {
    await deps.webhooks.redeliver(account.streamer.id, webhookId, form.get("delivery") ?? "");
    return backTo(deps.accounts.site, webhookAddress(webhookId, form.get("status")), "redelivered");
  });

/** POST /studio/webhooks/recover */
export const recover = (deps: StudioDeps): PageHandler =>
  onWebhook(deps, async ({ account, form, webhookId }) => {
    const back = (notice: NoticeName) => backTo(deps.accounts.site, webhookAddress(webhookId), notice);
    const hours = recoveryHoursOf(form.get("hours"));
    if (hours === null) return back("no-span");
    const since = new Date(Date.now() - hours * 3_600_000).toISOString();
    return back((await deps.webhooks.recover(account.streamer.id, webhookId, since)) > 0 ? "recovering" : "nothing-missed");
  });

type WebhookPost = FormPost & Readonly<{ webhookId: string }>;

/** A form of the page of the endpoint that its field `webhook` names. */
function onWebhook(deps: StudioDeps, handle: (post: WebhookPost) => Promise<PageReply>): PageHandler {
  return deps.accounts.form(paths.webhooks, (post) => {
    const webhookId = post.form.get("webhook") ?? "";
    return orBack(deps.accounts.site, waysBack(webhookId), () => handle({ ...post, webhookId }));
  });
}

/** What the endpoint's page shows again, instead of an error page. */
function waysBack(webhookId: string): WaysBack {
  return {
    webhook_not_found: [paths.webhooks, "no-webhook"],
    delivery_not_found: [webhookAddress(webhookId), "no-delivery"],
    webhook_disabled: [webhookAddress(webhookId), "is-disabled"],
  };
}

type PageState = Readonly<{
  webhookId: string;
  query?: URLSearchParams;
  /** A form that the contract refused; without one the form shows the endpoint as it is. */
  form?: { typed: WebhookForm; faults: FieldFaults };
  tested?: WebhookTested;
}>;

async function renderWebhook(deps: StudioDeps, account: Account, state: PageState): Promise<PageReply> {
  const { accounts, webhooks } = deps;
  const { webhookId, query = new URLSearchParams(), tested = null } = state;
  const { application, webhook } = await webhooks.find(account.streamer.id, webhookId);
  const outcome = deliveryStatusOf(query.get("status"));
  const cursor = query.get("cursor");
  const deliveries = await webhooks.deliveries(account.streamer.id, webhookId, {
    limit: deliveriesPerPage,
    ...(cursor !== null && { cursor }),
    ...(outcome !== null && { status: [outcome] }),
  });
  const form = state.form ?? { typed: toTyped(webhookForm, webhook), faults: {} };
  const shown = { application, webhook, tested, form, outcome, cursor, deliveries };
  return webhookPage({ site: accounts.site, account, notice: noticeOf(query), status: state.form ? 400 : 200, ...shown });
}
