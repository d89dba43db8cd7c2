// The language of pages: what the visitor's switch has chosen, which a cookie keeps, or else what the browser prefers.

import type { Context, Middleware } from "koa";
import { isOurOrigin, type Site } from "../http/base-url.ts";
import { Problem } from "../http/problem.ts";
import { languagePath } from "./layout.ts";
import { type Language, languages, type Reader, writeFor } from "./reader.ts";
import { type PageRoutes, seeOther } from "./serve-pages.ts";

const year = 365 * 24 * 60 * 60;

/** Middleware within which pages are written for the reader of the request. */
export function readLanguage(site: Site): Middleware {
  return (ctx, next) => writeFor(readerOf(ctx, site), next);
}

/** The route of the switch. It changes nothing but how pages look, so that the form's origin is enough of a proof where it comes from. */
export function languagePages(site: Site): PageRoutes {
  return {
    [`POST ${languagePath}`]: async ({ form, caller }) => {
      const language = languageNamed(form.get("language"));
      if (!isOurOrigin(caller, site) || !language)
        throw new Problem("validation_failed", "language is not th or en, or another site asked.");
      return seeOther(ownPath(form.get("back"), site), [languageCookie(site, language)]);
    },
  };
}

/** The Set-Cookie line that keeps a choice for a year. */
export function languageCookie(site: Site, language: Language): string {
  return `${cookieName(site)}=${language}; Path=/; HttpOnly; SameSite=Lax${site.secure ? "; Secure" : ""}; Max-Age=${year}`;
}

/** The language that the visitor has chosen in this browser; null: none. */
export function chosenLanguage(cookieHeader: string | undefined, site: Site): Language | null {
  const name = `${cookieName(site)}=`;
  const pair = (cookieHeader ?? "").split(";").find((one) => one.trim().startsWith(name));
  return languageNamed(pair?.trim().slice(name.length) ?? null);
}

/** The answer to a form can't be loaded again, and may show what was typed or a secret: it has no switch. */
function readerOf(ctx: Context, site: Site): Partial<Reader> {
  const isPage = ctx.method === "GET" || ctx.method === "HEAD";
  return {
    language: chosenLanguage(ctx.get("Cookie"), site) ?? preferred(ctx),
    languageSwitch: isPage ? { action: site.path(languagePath), back: site.path(ctx.url) } : null,
  };
}

/** Longer ones are as good as none: thousands of languages take longer to compare than the page takes. */
const maxHeaderLength = 1_000;

/** Thai for a browser that prefers none, English for one that prefers others. */
function preferred(ctx: Context): Language {
  if (ctx.get("Accept-Language").length > maxHeaderLength) return "th";
  return languageNamed(ctx.acceptsLanguages(...languages) || "en") ?? "en";
}

function languageNamed(name: string | null): Language | null {
  return languages.find((language) => language === name) ?? null;
}

/** A path of this server, so that the switch leads nowhere else: two slashes at its beginning would begin a host (RFC 3986 4.2). */
function ownPath(back: string | null, { baseUrl, path }: Site): string {
  const address = back?.startsWith("/") ? URL.parse(back, baseUrl) : null;
  const isOurs = address?.origin === new URL(baseUrl).origin && !address.pathname.startsWith("//");
  return isOurs ? address.pathname + address.search : path("/studio");
}

function cookieName({ brand }: Site): string {
  return `${brand}_language`;
}
