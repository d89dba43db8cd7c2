// Makes an overlay key with the name that was typed in a form.

import { TooManyKeys } from "../../auth/key-quota.ts";
import { type KeyWidget, maxOverlayKeyName, type OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import type { Fault } from "../../http/problem.ts";
import type { Account } from "../../ui/accounts.ts";
import type { FieldFaults } from "../components/field-faults.ts";
import type { StudioDeps } from "../studio-deps.ts";

/** The key, which is never shown again; or the faults of the field `name`, and the status of the page that shows them. */
export type MadeKey = Readonly<{ key: string }> | Readonly<{ status: number; faults: FieldFaults }>;

/** `keys`: those that the streamer has. `widget`: that of the new key; null: none. */
export type TypedKey = Readonly<{ typed: string; keys: readonly OverlayKeyEntry[]; widget: KeyWidget | null }>;

/** The faults of the field `name`. */
export function findKeyNameFaults({ typed, keys }: Pick<TypedKey, "typed" | "keys">): FieldFaults {
  const wrong = (code: Fault["code"], message: string): FieldFaults => ({ name: [{ code, message }] });
  if (typed === "") return wrong("required", "is required");
  if ([...typed].length > maxOverlayKeyName) return wrong("too_long", `must have at most ${maxOverlayKeyName} characters`);
  // Two keys of one name could not be told apart when one of them has to be revoked.
  return keys.some(({ name }) => name === typed) ? wrong("not_unique", "must not be the name of another key") : {};
}

export async function makeOverlayKey(
  { overlayKeys }: StudioDeps,
  { streamer }: Account,
  { typed, keys, widget }: TypedKey,
): Promise<MadeKey> {
  const faults = findKeyNameFaults({ typed, keys });
  if (Object.keys(faults).length > 0) return { status: 400, faults };
  try {
    return { key: await overlayKeys.create(streamer.id, typed, widget) };
  } catch (error) {
    if (!(error instanceof TooManyKeys)) throw error;
    return { status: 429, faults: { name: [{ code: "too_many_items", message: error.message }] } };
  }
}
