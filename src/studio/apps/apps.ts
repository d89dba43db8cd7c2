// The page of the applications that the streamer registered, with which other streamers are asked for access.

import { TooManyKeys } from "../../auth/key-quota.ts";
import type { NewClient } from "../../oauth/clients/clients.ts";
import type { Account } from "../../ui/accounts.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import { type FieldFaults, validationFaults } from "../components/field-faults.ts";
import { backTo, noticeOf } from "../notices.ts";
import { appAddress, paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { type AppForm, initialAppForm, readAppForm, redirectUrisOf } from "./app-form.ts";
import { appSecretPage } from "./app-secret-page.ts";
import { appsPage } from "./apps-page.ts";

/** GET /studio/apps */
export const showApps = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.apps, async ({ account, query }) => ({
    status: 200,
    html: await renderApps(deps, account, { query, typed: initialAppForm, faults: {} }),
    scripted: true,
  }));

/** POST /studio/apps: shows the secret of the new application in the response to this form, and never again. */
export const registerApp = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.apps, async ({ account, form }) => {
    const { site } = deps.accounts;
    const typed = readAppForm(form, deps.scopes);
    const made = await register(deps, account.streamer.id, typed);
    if ("faults" in made) return refuse(deps, account, { typed, ...made });
    const { clientId, clientSecret } = made;
    if (clientSecret === null) return backTo(site, appAddress(clientId), "app-registered");
    const html = appSecretPage({ site, account, name: typed.name, clientId, clientSecret, isNew: true });
    return { status: 200, html, scripted: true };
  });

type Made = { clientId: string; clientSecret: string | null } | { status: number; faults: FieldFaults };

async function register({ apps }: StudioDeps, streamerId: string, typed: AppForm): Promise<Made> {
  const { name, isPublic, scopes } = typed;
  const app: NewClient = { name, public: isPublic, scopes, redirectUris: redirectUrisOf(typed) };
  try {
    return await apps.register(streamerId, app);
  } catch (error) {
    if (error instanceof TooManyKeys) return { status: 429, faults: { name: [{ code: "too_many_items", message: error.message }] } };
    const faults = validationFaults(error);
    if (!faults) throw error;
    return { status: 400, faults };
  }
}

type Refused = { status: number; typed: AppForm; faults: FieldFaults };

async function refuse(deps: StudioDeps, account: Account, { status, typed, faults }: Refused): Promise<PageReply> {
  return { status, html: await renderApps(deps, account, { query: new URLSearchParams(), typed, faults }), scripted: true };
}

type FormState = { query: URLSearchParams; typed: AppForm; faults: FieldFaults };

async function renderApps({ accounts, apps, scopes }: StudioDeps, account: Account, { query, ...form }: FormState): Promise<string> {
  const found = await apps.list(account.streamer.id);
  return appsPage({ site: accounts.site, account, notice: noticeOf(query), apps: found, scopes, form });
}
