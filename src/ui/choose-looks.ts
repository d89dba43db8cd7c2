// The language and the colours of pages: what the visitor has chosen, which a cookie keeps, or else what the browser prefers.

import type { Context, Middleware } from "koa";
import { isOurOrigin, type Site } from "../http/base-url.ts";
import { Problem } from "../http/problem.ts";
import { languagePath, themePath } from "./layout.ts";
import { type Language, languages, type Reader, themes, writeFor } from "./reader.ts";
import { type PageHandler, type PageRoutes, seeOther } from "./serve-pages.ts";

const year = 365 * 24 * 60 * 60;

/** Middleware within which pages are written for the reader of the request. */
export function readLooks(site: Site): Middleware {
  return (ctx, next) => writeFor(readerOf(ctx, site), next);
}

/** The routes of the switches. They change nothing but how pages look, so that the form's origin is enough of a proof where it comes from. */
export function looksPages(site: Site): PageRoutes {
  const choose =
    (name: string, values: readonly string[]): PageHandler =>
    async ({ form, caller }) => {
      const value = oneOf(values, form.get(name));
      if (!isOurOrigin(caller, site) || !value)
        throw new Problem("validation_failed", `${name} is not ${values.join(" or ")}, or another site asked.`);
      return seeOther(ownPath(form.get("back"), site), [cookie(site, name, value)]);
    };
  return { [`POST ${languagePath}`]: choose("language", languages), [`POST ${themePath}`]: choose("theme", [...themes, "system"]) };
}

/** The Set-Cookie line that keeps a choice for a year. */
export function languageCookie(site: Site, language: Language): string {
  return cookie(site, "language", language);
}

/** The language that the visitor has chosen in this browser; null: none. */
export function chosenLanguage(cookieHeader: string | undefined, site: Site): Language | null {
  return oneOf(languages, cookieValue(cookieHeader, `${site.brand}_language=`));
}

/** The answer to a form can't be loaded again, and may show what was typed or a secret: it has no switches. */
function readerOf(ctx: Context, site: Site): Partial<Reader> {
  const isPage = ctx.method === "GET" || ctx.method === "HEAD";
  return {
    language: chosenLanguage(ctx.get("Cookie"), site) ?? preferred(ctx),
    theme: oneOf(themes, cookieValue(ctx.get("Cookie"), `${site.brand}_theme=`)),
    switches: isPage ? { path: site.path, back: site.path(ctx.url) } : null,
  };
}

/** Longer ones are as good as none: thousands of languages take longer to compare than the page takes. */
const maxHeaderLength = 1_000;

/** Thai for a browser that prefers none, English for one that prefers others. */
function preferred(ctx: Context): Language {
  if (ctx.get("Accept-Language").length > maxHeaderLength) return "th";
  return oneOf(languages, ctx.acceptsLanguages(...languages) || "en") ?? "en";
}

function oneOf<Value extends string>(values: readonly Value[], name: string | null): Value | null {
  return values.find((value) => value === name) ?? null;
}

/** A path of this server, so that the switch leads nowhere else: two slashes at its beginning would begin a host (RFC 3986 4.2). */
function ownPath(back: string | null, { baseUrl, path }: Site): string {
  const address = back?.startsWith("/") ? URL.parse(back, baseUrl) : null;
  const isOurs = address?.origin === new URL(baseUrl).origin && !address.pathname.startsWith("//");
  return isOurs ? address.pathname + address.search : path("/studio");
}

function cookie({ brand, secure }: Site, name: string, value: string): string {
  return `${brand}_${name}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}; Max-Age=${year}`;
}

function cookieValue(header: string | undefined, start: string): string | null {
  const pair = (header ?? "").split(";").find((one) => one.trim().startsWith(start));
  return pair?.trim().slice(start.length) ?? null;
}
