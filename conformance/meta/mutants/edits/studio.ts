// Pages and widgets: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

export const studio: Mutants = {
  "widget-settings-overwritten": {
    broken: "settings of a widget that were changed elsewhere are overwritten",
    edit: {
      file: "src/studio/overlay/widget.ts",
      from: "const isCurrent = version === versionOf(widget) ||",
      to: "const isCurrent = true ||",
    },
    killedBy: [["overlay/studio", /older than the stored settings/]],
  },
  "widget-settings-unannounced": {
    broken: "pages that are open are not told of changed settings of their widget",
    edit: {
      file: "src/studio/open-studio.ts",
      from: "change((trx) => overlay.noteWidgetChange(trx, streamerId));",
      to: "change(async () => {});",
    },
    killedBy: [["overlay/studio", /reaches the open pages of its key/]],
  },
  "created-as-it-is": {
    broken: "the event of a recorded donation shows the donation as it is now: void",
    edit: {
      file: "src/donations/rows.ts",
      from: `"receivedAt", d.sequence\`;

/** Reads a row of \`selectedAsRecorded\`. */
export function fromRowAsRecorded(row: Omit<DonationRow, LaterColumn>): StoredDonation {
  return fromRow({
    ...row,
    alertStatus: row.skipAlert ? null : "queued",
    alertReason: null,
    alertShownAt: null,
    alertMasked: false,
    voidedAt: null,
    voidReason: null,
  });`,
      to: `"receivedAt", d.sequence, to_millis(d.voided_at) as "voidedAt", d.void_reason as "voidReason"\`;

export function fromRowAsRecorded(row: Omit<DonationRow, LaterColumn>): StoredDonation {
  const { voidedAt, voidReason } = row as DonationRow;
  const alert = { alertStatus: row.skipAlert ? null : "queued", alertReason: null, alertShownAt: null, alertMasked: false } as const;
  return fromRow({ ...row, ...alert, voidedAt, voidReason });`,
    },
    killedBy: [["events/list-events", /stays as the donation was recorded/]],
  },
  "recent-with-void-ones": {
    broken: "the recent donations of the widgets hold void ones",
    edit: { file: "src/alerts/widgets/read-widgets.ts", from: 'status: "active", minAmount', to: 'status: "all", minAmount' },
    killedBy: [["alerts/void-alerts", /the widgets and the goal leave a donation that is voided at once out/]],
  },
};
