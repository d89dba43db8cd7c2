// The page of API keys, with which streamers create and revoke them.

import { TooManyKeys } from "../../auth/keys.ts";
import { msPerDay, startOfDay, zoneOf } from "../../base/local-days.ts";
import type { Scope } from "../../http/operations.ts";
import { currentReader } from "../../ui/reader.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import type { FieldFaults } from "../components/fields.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { apiKeyPage, apiKeysPage, findKeyFaults, initialKeyForm, type NewKeyForm, readKeyForm } from "./api-keys-page.ts";

/** GET /studio/keys */
export const showApiKeys = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.keys, async ({ account, query }) => ({
    status: 200,
    html: await renderApiKeys(deps, account, { query, typed: initialKeyForm, faults: {} }),
    scripted: true,
  }));

/** POST /studio/keys: shows the new key in the response to this form, and never again. */
export const createApiKey = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.keys, async ({ account, form }) => {
    const { accounts, apiKeys, now } = deps;
    const typed = readKeyForm(form);
    const refuse = async (status: number, faults: FieldFaults) => {
      const html = await renderApiKeys(deps, account, { query: new URLSearchParams(), typed, faults });
      return { status, html, scripted: true };
    };
    const faults = findKeyFaults(typed, now());
    if (Object.keys(faults).length > 0) return refuse(400, faults);
    const { name, application, expires } = typed;
    const key = {
      streamerId: account.streamer.id,
      name,
      application,
      scopes: typed.scopes as readonly Scope[],
      ...(expires && { expiresAt: endOfDay(expires) }),
    };
    try {
      return { status: 200, html: apiKeyPage({ site: accounts.site, account, typed, key: await apiKeys.create(key) }), scripted: true };
    } catch (error) {
      if (!(error instanceof TooManyKeys)) throw error;
      return refuse(429, { name: [{ code: "too_many_items", message: error.message }] });
    }
  });

/** POST /studio/keys/revoke */
export const revokeApiKey = ({ accounts, apiKeys, catchUp }: StudioDeps): PageHandler =>
  accounts.form(paths.keys, async ({ account, form }) => {
    const revoked = await apiKeys.revoke(form.get("key") ?? "", account.streamer.id);
    await catchUp();
    return backTo(accounts.site, paths.keys, revoked ? "revoked" : "no-key");
  });

type FormState = { query: URLSearchParams; typed: NewKeyForm; faults: FieldFaults };

async function renderApiKeys(
  { accounts, apiKeys, now }: StudioDeps,
  account: Account,
  { query, typed, faults }: FormState,
): Promise<string> {
  const keys = await apiKeys.list(account.streamer.id);
  return apiKeysPage({ site: accounts.site, account, notice: noticeOf(query), keys, typed, faults, now: now() });
}

/** The end of a day in the streamer's time zone: a key works until the end of its last day. */
function endOfDay(day: string): Date {
  const after = Math.round(Date.parse(`${day}T00:00:00Z`) / msPerDay) + 1;
  return new Date(startOfDay(after, zoneOf(currentReader().timeZone)) - 1);
}
