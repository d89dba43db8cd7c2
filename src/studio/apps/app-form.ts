// Reads the forms of an application that the streamer registers.

import type { Scope } from "../../http/operations.ts";
import type { OwnClient } from "../../oauth/clients/own-clients.ts";

/** The form's fields as they were typed. `redirectUris`: one on each line. `isPublic` and `scopes` are chosen once, for a new application. */
export type AppForm = Readonly<{ name: string; redirectUris: string; isPublic: boolean; scopes: readonly Scope[] }>;

export const initialAppForm: AppForm = { name: "", redirectUris: "", isPublic: false, scopes: ["write:donations", "read:donations"] };

export function toAppForm({ name, redirectUris, public: isPublic, scopes }: OwnClient): AppForm {
  return { name, redirectUris: redirectUris.join("\n"), isPublic, scopes };
}

/** Each scope has a checkbox with a name of its own, because no field may be sent twice. */
export function readAppForm(form: URLSearchParams, scopes: readonly Scope[]): AppForm {
  return {
    name: (form.get("name") ?? "").trim(),
    redirectUris: form.get("redirectUris") ?? "",
    isPublic: form.get("kind") === "public",
    scopes: scopes.filter((scope) => form.has(`scope ${scope}`)),
  };
}

/** The redirect URIs that were typed, without empty lines. */
export function redirectUrisOf({ redirectUris }: AppForm): readonly string[] {
  return redirectUris
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
