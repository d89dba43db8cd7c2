// The pages of the applications that the streamer registered, with which other streamers are asked for access.

import { TooManyKeys } from "../../auth/keys.ts";
import type { OwnClient } from "../../oauth/clients/own-clients.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import type { Account, FormPost } from "../../ui/streamer-pages.ts";
import { readTyped } from "../components/described-form.ts";
import { type FieldFaults, validationFaults } from "../components/fields.ts";
import { backTo, noticeOf } from "../notices.ts";
import { appAddress, paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import {
  type AppForm,
  type AppPage,
  type AppsPage,
  appForm,
  appOf,
  appPage,
  appSecretPage,
  appsPage,
  initialAppForm,
  secretNameOf,
  toAppForm,
} from "./apps-page.ts";

/** GET /studio/apps */
export const showApps = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.apps, ({ account, query }) =>
    renderApps(deps, account, { notice: noticeOf(query), form: { typed: initialAppForm, faults: {} } }),
  );

/** POST /studio/apps: shows the secret of the new application in the response to this form, and never again. */
export const registerApp = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.apps, async ({ account, form }) => {
    const { site } = deps.accounts;
    const typed = readTyped(appForm, form);
    const made = await register(deps, account.streamer.id, typed);
    if ("faults" in made) return renderApps(deps, account, { status: made.status, form: { typed, faults: made.faults } });
    const { clientId, clientSecret } = made;
    if (clientSecret === null) return backTo(site, appAddress(clientId), "app-registered");
    return appSecretPage({ site, account, name: typed.name, clientId, clientSecret, isNew: true });
  });

/** GET /studio/apps/app */
export const showApp = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.apps, async ({ account, query }) => {
    const app = await deps.apps.find(account.streamer.id, query.get("id") ?? "");
    return app ? renderApp(deps, account, { app, notice: noticeOf(query) }) : backTo(deps.accounts.site, paths.apps, "no-app");
  });

/** POST /studio/apps/change */
export const changeApp = (deps: StudioDeps): PageHandler =>
  onApp(deps, async ({ account, form, app }) => {
    const { name, redirectUris } = readTyped(appForm, form);
    const typed = { ...toAppForm(app), name, redirectUris };
    try {
      const change = appOf(typed);
      const changed = await deps.apps.change(account.streamer.id, app.id, { name: change.name, redirectUris: change.redirectUris });
      return changed ? backTo(deps.accounts.site, appAddress(app.id), "app-saved") : backTo(deps.accounts.site, paths.apps, "no-app");
    } catch (error) {
      const faults = validationFaults(error);
      if (!faults) throw error;
      return renderApp(deps, account, { status: 400, app, form: { typed, faults } });
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
    return appSecretPage({ site, account, name: app.name, clientId: app.id, clientSecret, isNew: false });
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

type AppsState = Pick<AppsPage, "status" | "notice" | "form">;

async function renderApps({ accounts, apps }: StudioDeps, account: Account, state: AppsState): Promise<PageReply> {
  return appsPage({ site: accounts.site, account, apps: await apps.list(account.streamer.id), ...state });
}

/** A form of the page of the streamer's application that its field `app` names. */
function onApp(deps: StudioDeps, handle: (post: FormPost & Readonly<{ app: OwnClient }>) => Promise<PageReply>): PageHandler {
  return deps.accounts.form(paths.apps, async (post) => {
    const app = await deps.apps.find(post.account.streamer.id, post.form.get("app") ?? "");
    return app ? handle({ ...post, app }) : backTo(deps.accounts.site, paths.apps, "no-app");
  });
}

/** Without a form that was refused, the form shows the application as it is. */
type AppState = Pick<AppPage, "app"> & Partial<AppsState>;

function renderApp({ accounts }: StudioDeps, account: Account, { app, ...state }: AppState): PageReply {
  return appPage({ site: accounts.site, account, app, form: { typed: toAppForm(app), faults: {} }, ...state });
}
