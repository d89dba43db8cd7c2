// What the streamer has chosen for the widgets of the overlay keys that are connected. It is read when a key connects, and when the
// streamer has changed the widget of a key.

import type { KeyWidget } from "../../auth/overlay-keys.ts";
import type { Schemas } from "../../http/operations.ts";

/** `changes`: `overlays.widget_changes` when they were read. */
export type KeyWidgets = Readonly<{ changes: number; byKey: ReadonlyMap<string, Schemas["WidgetSettings"] | null> }>;

/** The widgets of these overlay keys; without those that have none. */
export type WidgetsOfKeys = (keyIds: readonly string[]) => Promise<ReadonlyMap<string, KeyWidget>>;

export const noKeyWidgets: KeyWidgets = { changes: 0, byKey: new Map() };

/** The widgets of these keys: as they are known, or read again after a change. */
export async function readKeyWidgets(
  known: KeyWidgets,
  { changes, keyIds }: { changes: number; keyIds: readonly string[] },
  widgetsOfKeys: WidgetsOfKeys,
): Promise<KeyWidgets> {
  if (known.changes === changes && keyIds.every((id) => known.byKey.has(id))) return known;
  const widgets = await widgetsOfKeys([...new Set(keyIds)]);
  return { changes, byKey: new Map(keyIds.map((id) => [id, settingsOf(widgets.get(id))])) };
}

function settingsOf(widget: KeyWidget | undefined): Schemas["WidgetSettings"] | null {
  return widget ? { kind: widget.kind, query: String(new URLSearchParams(widget.parameters)) } : null;
}
