// The streamer's API keys.

import { TooManyKeys } from "../auth/key-quota.ts";
import type { PageHandler } from "../ui/serve-pages.ts";
import { firstKey, keyFaults, type NewKeyForm, readKey } from "./api-key-form.ts";
import type { FieldFaults } from "./faults.ts";
import { backTo, noticeOf } from "./notices.ts";
import { apiKeyPage, apiKeysPage } from "./pages/api-keys.ts";
import { paths } from "./paths.ts";
import type { Account, StudioParts } from "./studio-deps.ts";

/** GET /studio/keys */
export const showApiKeys = (parts: StudioParts): PageHandler =>
  parts.accounts.page(paths.keys, async ({ account, query }) => ({
    status: 200,
    html: await page(parts, account, { query, typed: firstKey, faults: {} }),
    scripted: true,
  }));

/** POST /studio/keys: the key stands in the answer to this form, and nowhere else ever. */
export const createApiKey = (parts: StudioParts): PageHandler =>
  parts.accounts.form(paths.keys, async ({ account, form }) => {
    const { accounts, apiKeys, scopes, now } = parts;
    const typed = readKey(form, scopes);
    const refuse = async (status: number, faults: FieldFaults) => {
      const html = await page(parts, account, { query: new URLSearchParams(), typed, faults });
      return { status, html, scripted: true };
    };
    const faults = keyFaults(typed, now());
    if (Object.keys(faults).length > 0) return refuse(400, faults);
    const { name, application, expires } = typed;
    const key = {
      streamerId: account.streamer.id,
      name,
      application,
      scopes: typed.scopes,
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
export const revokeApiKey = ({ accounts, apiKeys }: StudioParts): PageHandler =>
  accounts.form(paths.keys, async ({ account, form }) => {
    const revoked = await apiKeys.revoke(account.streamer.id, form.get("key") ?? "");
    return backTo(accounts.site, paths.keys, revoked ? "revoked" : "no-key");
  });

type Shown = { query: URLSearchParams; typed: NewKeyForm; faults: FieldFaults };

async function page({ accounts, apiKeys, scopes, now }: StudioParts, account: Account, { query, typed, faults }: Shown): Promise<string> {
  const keys = await apiKeys.list(account.streamer.id);
  return apiKeysPage({ site: accounts.site, account, notice: noticeOf(query), keys, scopes, typed, faults, now: now() });
}

/** A key is good through the whole of its last day, Bangkok's. */
function endOfDay(day: string): Date {
  return new Date(`${day}T23:59:59.999+07:00`);
}
