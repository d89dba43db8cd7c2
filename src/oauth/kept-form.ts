// What a form of the studio has sent whose session has ended: it is kept in the pages that follow until the streamer sends it again.

import { html, postForm } from "../ui/html.ts";
import { bilingual, isolated, renderPage } from "../ui/layout.ts";
import type { Session, Streamer } from "./accounts/sessions.ts";
import type { PageDeps } from "./forms.ts";

/** `action`: the path of this server that the form was sent to. */
export type KeptForm = Readonly<{ action: string; fields: readonly (readonly [name: string, value: string])[] }>;

type KeptFormPage = Readonly<{ streamer: Streamer; kept: KeptForm }>;

/** Longer forms, such as those with a file, are not kept. */
const maxLength = 20_000;
/** Fields that no page may show again. */
const secrets = ["current", "next", "repeated", "password"];

/** The form of a request; null when no page of ours made it, or when it must not be kept. */
export function keepForm({ path, form }: { path: string; form: URLSearchParams }): KeptForm | null {
  if (!form.get("formToken") || secrets.some((name) => form.has(name))) return null;
  return readKeptForm(JSON.stringify({ action: path, fields: [...form].filter(([name]) => name !== "formToken") }));
}

/** Reads a kept form from the hidden field of a page; null for anything else. */
export function readKeptForm(text: string | null): KeptForm | null {
  if (text === null || text.length > maxLength) return null;
  const kept = parse(text) as Partial<KeptForm> | null;
  const isOurs = typeof kept?.action === "string" && /^\/studio(\/[a-z-]+)*$/.test(kept.action);
  return isOurs && Array.isArray(kept.fields) && kept.fields.every(isPair) ? { action: kept.action, fields: kept.fields } : null;
}

/** The page on which a streamer sends the form again. */
export function keptFormPage({ site, formTokens }: PageDeps, session: Session, { streamer, kept }: KeptFormPage): string {
  const title = { th: "ส่งอีกครั้งไหม", en: "Send it again?" };
  const name = isolated(streamer.handle);
  const content = html`${kept.fields.map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}
<button class="main">${bilingual({ th: "ส่งสิ่งที่กรอกไว้", en: "Send what you typed in" })}</button>`;
  return renderPage({
    title,
    brand: site.brand,
    content: html`<h1>${bilingual(title)}</h1>
<p>${bilingual({
      th: html`คุณถูกนำออกจากระบบก่อนที่จะบันทึก ยังไม่มีอะไรเปลี่ยน สิ่งที่คุณกรอกยังอยู่ จะส่งในชื่อ ${name}`,
      en: html`You were logged out before this was saved, so nothing has changed yet. What you typed in is kept, and will be sent as ${name}.`,
    })}</p>
${postForm({ action: site.path(kept.action), formToken: formTokens.seal("page", session, null), content })}
<p class="note"><a href="${site.path("/studio")}">${bilingual({ th: "ไม่ส่ง กลับไปที่สตูดิโอ", en: "Don't send it, go to the studio" })}</a></p>`,
  });
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
