// The paths of the studio's pages and forms.

export const paths = {
  alerts: "/studio",
  queue: "/studio/queue",
  control: "/studio/control",
  replay: "/studio/replay",
  void: "/studio/void",
  test: "/studio/test",
  money: "/studio/money",
  history: "/studio/history",
  exportHistory: "/studio/history/export",
  donation: "/studio/donation",
  overlay: "/studio/overlay",
  settings: "/studio/settings",
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
  script: "/studio/studio.js",
} as const;

/** Path and query of the list of donations. Empty values are left out. */
export function historyAddress(filters: Readonly<Record<string, string>>, path: string = paths.history): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Path and query of a donation's page. */
export function donationAddress(id: string): string {
  return `${paths.donation}?${new URLSearchParams({ id })}`;
}

/** Where a form about a donation leads back to: the donation's page when the form comes from there (`back`), else the alerts page. */
export function backAddress(back: string, donationId: string): string {
  return back === "donation" ? donationAddress(donationId) : paths.alerts;
}

/** Path and query of an endpoint's page. `status`: the filter of its deliveries; `cursor`: where they begin. */
export function webhookAddress(id: string, status: string | null = null, cursor: string | null = null): string {
  const query = new URLSearchParams({ id, ...(status && { status }), ...(cursor && { cursor }) });
  return `${paths.webhook}?${query}`;
}
