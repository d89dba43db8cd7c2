// The paths of the studio's pages and forms.

export const paths = {
  home: "/studio/home",
  homeNow: "/studio/home/now",
  homeSteps: "/studio/home/steps",
  alerts: "/studio",
  queue: "/studio/queue",
  dock: "/studio/dock",
  dockQueue: "/studio/dock/queue",
  overall: "/studio/overall",
  control: "/studio/control",
  replay: "/studio/replay",
  decide: "/studio/decide",
  lead: "/studio/lead",
  void: "/studio/void",
  test: "/studio/test",
  money: "/studio/money",
  moneyNow: "/studio/money/now",
  history: "/studio/history",
  historySum: "/studio/history/sum",
  exportHistory: "/studio/history/export",
  donation: "/studio/donation",
  donator: "/studio/donator",
  saveNote: "/studio/donator/note",
  blockName: "/studio/donator/block",
  overlay: "/studio/overlay",
  revokeOverlayKey: "/studio/overlay/revoke",
  overlaySound: "/studio/overlay/sound",
  designer: "/studio/designer",
  variation: "/studio/designer/variation",
  previewVariation: "/studio/designer/preview",
  moveVariation: "/studio/designer/move",
  testVariation: "/studio/designer/test",
  listen: "/studio/listen",
  uploadFile: "/studio/designer/upload",
  deleteFile: "/studio/designer/delete-file",
  attachFile: "/studio/designer/attach",
  widget: "/studio/overlay/widget",
  widgetSettings: "/studio/overlay/widget/settings",
  timer: "/studio/timer",
  timerNow: "/studio/timer/now",
  controlTimer: "/studio/timer/control",
  startTimer: "/studio/timer/start",
  adjustTimer: "/studio/timer/adjust",
  timerRules: "/studio/timer/rules",
  settings: "/studio/settings",
  goals: "/studio/goals",
  moveGoal: "/studio/goals/move",
  keys: "/studio/keys",
  revokeKey: "/studio/keys/revoke",
  webhooks: "/studio/webhooks",
  webhook: "/studio/webhooks/endpoint",
  changeWebhook: "/studio/webhooks/change",
  enableWebhook: "/studio/webhooks/enable",
  rotateSecret: "/studio/webhooks/rotate",
  deleteWebhook: "/studio/webhooks/delete",
  testWebhook: "/studio/webhooks/test",
  redeliver: "/studio/webhooks/redeliver",
  recover: "/studio/webhooks/recover",
  apps: "/studio/apps",
  app: "/studio/apps/app",
  changeApp: "/studio/apps/change",
  rotateAppSecret: "/studio/apps/rotate",
  deleteApp: "/studio/apps/delete",
  imports: "/studio/import",
  checkImport: "/studio/import/check",
  startImport: "/studio/import/start",
  importResult: "/studio/import/result",
  undoImport: "/studio/import/undo",
  privacy: "/studio/privacy",
  checkErasure: "/studio/privacy/check",
  erase: "/studio/privacy/erase",
  erasure: "/studio/privacy/erasure",
  retention: "/studio/privacy/retention",
  account: "/studio/account",
  password: "/studio/account/password",
  preferences: "/studio/account/preferences",
  endSession: "/studio/account/session",
  logOutEverywhere: "/studio/account/sessions",
  help: "/studio/help",
  kit: "/studio/kit",
  script: "/studio/studio.js",
  scene: "/studio/scene.svg",
  moderate: "/moderate",
  moderateScript: "/moderate/moderate.js",
} as const;

type Values = Readonly<Record<string, string>>;

/** A path with a query. Empty values are left out. */
export function addressOf(path: string, values: Values): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ""));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Path and query of the list of donations. */
export function historyAddress(filters: Values): string {
  return addressOf(paths.history, filters);
}

/** Pages of the history that lead back, one by one: an address stays shorter than a proxy's limit. */
const maxTrail = 6;
/** In a trail: the first page, which has no cursor. */
const firstPage = "-";

/** The cursors of the pages before this one, the nearest last; `-` for the first page. Cursors go forward only. */
export function readTrail(query: URLSearchParams): readonly string[] {
  const trail = query.get("trail") ?? "";
  return trail === "" ? [] : trail.split(".").slice(-maxTrail);
}

/** Parameters of the next older page. */
export function olderPage(trail: readonly string[], cursor: string | null, next: string): Record<"cursor" | "trail", string> {
  return { cursor: next, trail: [...trail, cursor ?? firstPage].slice(-maxTrail).join(".") };
}

/** Parameters of the next newer page; null when the trail does not reach so far. */
export function newerPage(trail: readonly string[]): Record<"cursor" | "trail", string> | null {
  const cursor = trail.at(-1);
  if (cursor === undefined) return null;
  return { cursor: cursor === firstPage ? "" : cursor, trail: trail.slice(0, -1).join(".") };
}

/** Path and query of the page that sets up a widget. */
export function widgetAddress(values: Values): string {
  return addressOf(paths.widget, values);
}

/** Path and query of the page with the settings of a key's widget. `typed`: what the form shows instead of what is stored. */
export function widgetSettingsAddress(key: string, typed: Values = {}): string {
  return addressOf(paths.widgetSettings, { key, ...typed });
}

/** Path and query of the page of the variation at a place of the list; null: a new one, which begins with the theme. */
export function variationAddress(place: number | null, theme: string): string {
  return addressOf(paths.variation, place === null ? { theme } : { place: String(place) });
}

/** Path and query of the page of all goals with the form of one. */
export function goalAddress(id: string): string {
  return addressOf(paths.goals, { goal: id });
}

/** Path and query of a donation's page. */
export function donationAddress(id: string): string {
  return addressOf(paths.donation, { id });
}

/** A donator as donations name them: by identifier, or by name where there is none. */
export type Donator = Readonly<{ name: string; identifier: string | null }>;

/** Path and query of a donator's page. `cursor`: where its list begins; empty for the latest. */
export function donatorAddress({ name, identifier }: Donator, cursor = ""): string {
  return addressOf(paths.donator, { ...(identifier === null ? { name } : { identifier }), cursor });
}

/** Path and query of the page that asks before a donation's alert is replayed. `back`: see backAddress. */
export function replayAddress(donation: string, back: string): string {
  return addressOf(paths.replay, { donation, back });
}

/** Path and query of the page that asks why a donation is void. `back`: see backAddress. */
export function voidAddress(donation: string, back: string): string {
  return addressOf(paths.void, { donation, back });
}

/** The donation that a form or a page is about, and where it leads back to: see backAddress. */
export type DonationPlace = Readonly<{ donation: string; back: string }>;

export function placeOf(sent: URLSearchParams): DonationPlace {
  return { donation: sent.get("donation") ?? "", back: sent.get("back") ?? "" };
}

/** Where a form about a donation leads back to (`back`): the donation's page or the dock when the form comes from there, else the alerts page. */
export function backAddress(back: string, donationId: string): string {
  if (back === "dock") return paths.dock;
  return back === "donation" ? donationAddress(donationId) : paths.alerts;
}

/** Where a form about the queue leads back to: the dock or the home page when it comes from there, else the alerts page. */
export function queuePage(form: URLSearchParams): string {
  const back = form.get("back");
  return back === "dock" || back === "home" ? paths[back] : paths.alerts;
}

/** Path and query of the page of an application that the streamer registered. */
export function appAddress(clientId: string): string {
  return addressOf(paths.app, { id: clientId });
}

/** Path and query of an endpoint's page. `status`: the filter of its deliveries; `cursor`: where they begin. */
export function webhookAddress(id: string, status: string | null = null, cursor: string | null = null): string {
  return addressOf(paths.webhook, { id, status: status ?? "", cursor: cursor ?? "" });
}
