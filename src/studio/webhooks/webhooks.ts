// The page of webhooks, with which streamers see where their events are sent and add endpoints of their own.

import type { Account } from "../../ui/accounts.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import type { FieldFaults } from "../components/field-faults.ts";
import { noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { initialWebhookForm, membersOf, orFaults, readWebhookForm, type WebhookForm } from "./webhook-form.ts";
import { webhookSecretPage } from "./webhook-secret-page.ts";
import { webhooksPage } from "./webhooks-page.ts";

/** GET /studio/webhooks */
export const showWebhooks = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.webhooks, async ({ account, query }) => ({
    status: 200,
    html: await renderWebhooks(deps, account, { query, typed: initialWebhookForm, faults: {} }),
    scripted: true,
  }));

/** POST /studio/webhooks: shows the new endpoint's secret in the response to this form, and never again. */
export const createWebhook = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.webhooks, async ({ account, form }) => {
    const { accounts, webhooks } = deps;
    const typed = readWebhookForm(form);
    const made = await orFaults(() => webhooks.create(account.streamer.id, typed.application, membersOf(typed)));
    if ("faults" in made) {
      const html = await renderWebhooks(deps, account, { query: new URLSearchParams(), typed, faults: made.faults });
      return { status: 400, html, scripted: true };
    }
    const html = webhookSecretPage({ site: accounts.site, account, webhook: made.done, isNew: true });
    return { status: 200, html, scripted: true };
  });

type FormState = { query: URLSearchParams; typed: WebhookForm; faults: FieldFaults };

async function renderWebhooks(
  { accounts, webhooks, bounds }: StudioDeps,
  account: Account,
  { query, ...form }: FormState,
): Promise<string> {
  const found = await webhooks.list(account.streamer.id);
  return webhooksPage({ site: accounts.site, account, notice: noticeOf(query), found, form, bounds });
}
