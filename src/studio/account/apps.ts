// The pages of the applications that the streamer registered, with which other streamers are asked for access.

import { TooManyKeys } from "../../auth/keys.ts";
import type { OwnClient } from "../../oauth/clients/own-clients.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import type { Account, FormPost } from "../../ui/streamer-pages.ts";
import { type FieldFaults, validationFaults } from "../components/fields.ts";
import { backTo, noticeOf } from "../notices.ts";
import { appAddress, paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import {
  type AppForm,
  appOf,
  appPage,
  appSecretPage,
  appsPage,
  initialAppForm,
  readAppForm,
  secretNameOf,
  toAppForm,
} from "./apps-page.ts";

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
    const typed = readAppForm(form);
    const made = await register(deps, account.streamer.id, typed);
    if ("faults" in made) return refuse(deps, account, { typed, ...made });
    const { clientId, clientSecret } = made;
    if (clientSecret === null) return backTo(site, appAddress(clientId), "app-registered");
    const html = appSecretPage({ site, account, name: typed.name, clientId, clientSecret, isNew: true });
    return { status: 200, html, scripted: true };
  });

/** GET /studio/apps/app */
export const showApp = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.apps, async ({ account, query }) => {
    const app = await deps.apps.find(account.streamer.id, query.get("id") ?? "");
    return app ? renderApp(deps, account, { app, query }) : backTo(deps.accounts.site, paths.apps, "no-app");
  });

/** POST /studio/apps/change */
export const changeApp = (deps: StudioDeps): PageHandler =>
  onApp(deps, async ({ account, form, app }) => {
    const { name, redirectUris } = readAppForm(form);
    const typed = { ...toAppForm(app), name, redirectUris };
    try {
      const change = appOf(typed);
      const changed = await deps.apps.change(account.streamer.id, app.id, { name: change.name, redirectUris: change.redirectUris });
      return changed ? backTo(deps.accounts.site, appAddress(app.id), "app-saved") : backTo(deps.accounts.site, paths.apps, "no-app");
    } catch (error) {
      const faults = validationFaults(error);
      if (!faults) throw error;
      return renderApp(deps, account, { app, form: { typed, faults } });
    }
  });

/**
 * POST /studio/apps/rotate: shows the new secret in the response to this form, and never again. The form names the secret that it
 * replaces, so that a reload or a second click, which sends the form again, does not replace the one that was copied a moment ago.
 */
export const rotateAppSecret = (deps: StudioDeps): PageHandler =>
  onApp(deps, async ({ account, form, app }) => {
    const { site } = deps.accounts;
    const { secretSince } = app;
    const isNewest = form.get("replaces") === secretNameOf(app);
    const rotated = secretSince && isNewest ? await deps.apps.rotate(account.streamer.id, app.id, secretSince) : { clientSecret: null };
    if (rotated === null) return backTo(site, paths.apps, "no-app");
    const { clientSecret } = rotated;
    if (clientSecret === null) return backTo(site, appAddress(app.id), "rotated-already");
    const html = appSecretPage({ site, account, name: app.name, clientId: app.id, clientSecret, isNew: false });
    return { status: 200, html, scripted: true };
  });

/** POST /studio/apps/delete */
export const deleteApp = (deps: StudioDeps): PageHandler =>
  onApp(deps, async ({ account, app }) => {
    const removed = await deps.apps.remove(account.streamer.id, app.id);
    await deps.catchUp();
    return backTo(deps.accounts.site, paths.apps, removed ? "app-deleted" : "no-app");
  });

type Made = { clientId: string; clientSecret: string | null } | { status: number; faults: FieldFaults };

async function register({ apps }: StudioDeps, streamerId: string, typed: AppForm): Promise<Made> {
  try {
    return await apps.register(streamerId, appOf(typed));
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

async function renderApps({ accounts, apps }: StudioDeps, account: Account, { query, ...form }: FormState): Promise<string> {
  const found = await apps.list(account.streamer.id);
  return appsPage({ site: accounts.site, account, notice: noticeOf(query), apps: found, form });
}

/** A form of the page of the streamer's application that its field `app` names. */
function onApp(deps: StudioDeps, handle: (post: FormPost & Readonly<{ app: OwnClient }>) => Promise<PageReply>): PageHandler {
  return deps.accounts.form(paths.apps, async (post) => {
    const app = await deps.apps.find(post.account.streamer.id, post.form.get("app") ?? "");
    return app ? handle({ ...post, app }) : backTo(deps.accounts.site, paths.apps, "no-app");
  });
}

type PageState = Readonly<{
  app: OwnClient;
  query?: URLSearchParams;
  /** A form that was refused; without one the form shows the application as it is. */
  form?: { typed: AppForm; faults: FieldFaults };
}>;

function renderApp({ accounts }: StudioDeps, account: Account, { app, query = new URLSearchParams(), form }: PageState): PageReply {
  const shown = form ?? { typed: toAppForm(app), faults: {} };
  const html = appPage({ site: accounts.site, account, notice: noticeOf(query), app, form: shown });
  return { status: form ? 400 : 200, html, scripted: true };
}
