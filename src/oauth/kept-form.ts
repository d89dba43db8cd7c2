// What a form of the studio has sent whose session has ended: it is kept in the pages that follow until the streamer sends it again.

import type { PageRequest } from "../ui/serve-pages.ts";

/** `action`: the path of this server that the form was sent to. */
export type KeptForm = Readonly<{ action: string; fields: readonly (readonly [name: string, value: string])[] }>;

/** Longer forms, such as those with a file, are not kept. */
const maxLength = 20_000;
/** Fields that no page may show again. */
const secrets = ["current", "next", "repeated", "password"];

/** The form of a request; null when no page of ours made it, or when it must not be kept. */
export function keepForm({ path, form }: Pick<PageRequest, "path" | "form">): KeptForm | null {
  if (!form.get("formToken") || secrets.some((name) => form.has(name))) return null;
  return readKeptForm(JSON.stringify({ action: path, fields: [...form].filter(([name]) => name !== "formToken") }));
}

/** Reads a kept form from the hidden field of a page; null for anything else. */
export function readKeptForm(text: string | null): KeptForm | null {
  if (text === null || text.length > maxLength) return null;
  const kept = parse(text) as Partial<KeptForm> | null;
  const isOurs = typeof kept?.action === "string" && /^\/studio(\/[a-z-]+)*$/.test(kept.action);
  return isOurs && Array.isArray(kept.fields) && kept.fields.every(isPair) ? { action: kept.action as string, fields: kept.fields } : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isPair(pair: unknown): boolean {
  return Array.isArray(pair) && pair.length === 2 && pair.every((text) => typeof text === "string");
}
