// The page of API keys, with which streamers create and revoke them.

import type { ApiKeyEntry } from "../../auth/api-keys.ts";
import { TooManyKeys } from "../../auth/keys.ts";
import { msPerDay, startOfDay, zoneOf } from "../../base/local-days.ts";
import type { Site } from "../../http/base-url.ts";
import { isLocalDay } from "../../http/contract/published.ts";
import type { Scope } from "../../http/operations.ts";
import type { Fault } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import { scopeChoices, scopeList } from "../../ui/scope-names.ts";
import { aboutText, section } from "../../ui/section.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { localDay } from "../../ui/times.ts";
import { type DescribedForm, describedField, labelsOf, readTyped, type Typed } from "../components/described-form.ts";
import { type FieldFaults, faultSummary, withFaults } from "../components/fields.ts";
import {
  blurNote,
  emptyState,
  fact,
  guideLink,
  mainAction,
  type PageContext,
  pageForm,
  secretField,
  studioPage,
  time,
  when,
} from "../components/frame.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";

/** GET /studio/keys */
export const showApiKeys = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.keys, ({ account, query }) =>
    renderApiKeys(deps, account, { notice: noticeOf(query), typed: initialKeyForm, faults: {} }),
  );

/** POST /studio/keys: shows the new key in the response to this form, and never again. */
export const createApiKey = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.keys, async ({ account, form }) => {
    const { accounts, apiKeys, now } = deps;
    const typed = readKeyForm(form);
    const refuse = (status: number, faults: FieldFaults) => renderApiKeys(deps, account, { status, typed, faults });
    const faults = findKeyFaults(typed, now());
    if (Object.keys(faults).length > 0) return refuse(400, faults);
    const { name, application, expires } = typed;
    const key = {
      streamerId: account.streamer.id,
      name,
      application,
      scopes: typed.scopes as readonly Scope[],
      ...(expires && { expiresAt: endOfDay(expires) }),
    };
    try {
      return apiKeyPage({ site: accounts.site, account, typed, key: await apiKeys.create(key) });
    } catch (error) {
      if (!(error instanceof TooManyKeys)) throw error;
      return refuse(429, { name: [{ code: "too_many_items", message: error.message }] });
    }
  });

/** POST /studio/keys/revoke */
export const revokeApiKey = ({ accounts, apiKeys, catchUp }: StudioDeps): PageHandler =>
  accounts.form(paths.keys, async ({ account, form }) => {
    const revoked = await apiKeys.revoke(form.get("key") ?? "", account.streamer.id);
    await catchUp();
    return backTo(accounts.site, paths.keys, revoked ? "revoked" : "no-key");
  });

type State = Pick<ApiKeysPage, "status" | "notice" | "typed" | "faults">;

async function renderApiKeys({ accounts, apiKeys, now }: StudioDeps, account: Account, state: State): Promise<PageReply> {
  const keys = await apiKeys.list(account.streamer.id);
  return apiKeysPage({ site: accounts.site, account, keys, now: now(), ...state });
}

/** The end of a day in the streamer's time zone: a key works until the end of its last day. */
function endOfDay(day: string): Date {
  const after = Math.round(Date.parse(`${day}T00:00:00Z`) / msPerDay) + 1;
  return new Date(startOfDay(after, zoneOf(currentReader().timeZone)) - 1);
}

type ApiKeysPage = PageContext & Readonly<{ keys: readonly ApiKeyEntry[]; typed: NewKeyForm; faults: FieldFaults; now: number }>;

const frame = { here: "/studio/keys", title: { th: "คีย์ API", en: "API keys" } } as const;

function apiKeysPage(page: ApiKeysPage): PageReply {
  const { keys, now } = page;
  const good = keys.filter((key) => isLive(key, now)).toReversed();
  const over = keys.filter((key) => !isLive(key, now)).toReversed();
  return studioPage({
    ...page,
    ...frame,
    action: mainAction("#new", { th: "สร้างคีย์", en: "New key" }),
    content: html`${section("live", {
      title: { th: "คีย์ที่ใช้ได้", en: "Active keys" },
      about: guideLink(page.site, "quickstart"),
      content: html`${good.length === 0 ? noLiveKeys : html`<ul class="cards">${good.map((key) => keyCard(page, key))}</ul>`}
${
  over.length > 0 &&
  html`<details>
<summary>${bilingual({ th: `คีย์ที่ใช้ไม่ได้แล้ว (${over.length})`, en: `Inactive keys (${over.length})` })}</summary>
<ul class="cards">${over.map((key) => keyCard(page, key))}</ul>
</details>`
}`,
    })}
${section("new", {
  title: { th: "สร้างคีย์ใหม่", en: "New key" },
  about: aboutText({
    th: "สำหรับบอตหรือโปรแกรมของคุณเอง ส่วนแอปของผู้อื่นให้เชื่อมต่อที่หน้าแอปนั้น",
    en: "For your own bot or program. To use someone else's application, connect it from that application instead.",
  }),
  content: html`${faultSummary(page.faults, labelsOf(keyForm))}
${pageForm(page, paths.keys, { content: newKeyFields(page) })}`,
})}
${moderatorKey(page)}`,
  });
}

function moderatorKey(page: ApiKeysPage): Html {
  return section("moderators", {
    title: { th: "ผู้ดูแลแชต", en: "Moderators" },
    about: aboutText({
      th: "ได้ลิงก์ของหน้าสำหรับผู้ดูแล และคีย์สำหรับโปรแกรมของผู้ดูแล เพื่อดูคิว อนุมัติ ปฏิเสธ ปิดบังข้อความ ข้าม และซ่อนทุกอย่าง แต่ไม่เห็นรายงาน ประวัติ และการตั้งค่า",
      en: "A link to a page for your moderators, and a key for programs of theirs: it sees the queue, approves, denies, masks, skips and hides, and reads no reports, history or settings.",
    }),
    content: moderatorForm(page, { th: "สร้างคีย์ผู้ดูแล", en: "Create moderator key" }),
  });
}

/** Makes a key of one scope, without a choice to make. */
export function moderatorForm({ site, account }: PageContext, words: Bilingual): Html {
  const content = html`<input type="hidden" name="name" value="${moderatorKeyName}">
<input type="hidden" name="application" value="moderators">
<input type="hidden" name="scope moderate:alerts" value="on">
<button>${bilingual(words)}</button>`;
  return pageForm({ site, account }, paths.keys, { content });
}

const moderatorKeyName = "Moderator";

/** Shows the key that was just created. */
function apiKeyPage(page: PageContext & { typed: NewKeyForm; key: string }): PageReply {
  return studioPage({
    ...page,
    ...frame,
    content: html`<section class="card">
<p class="right" role="status">${bilingual({
      th: "สร้างคีย์แล้ว คัดลอกตอนนี้เลย เพราะจะแสดงเพียงครั้งเดียว",
      en: "Your key has been created. Copy it now: it won't be shown again.",
    })}</p>
${blurNote}
${isModeratorKey(page.typed) && moderatorLink(page)}
${secretField({ id: "key", label: { th: html`คีย์ ${isolated(page.typed.name)}`, en: "API key" }, value: page.key })}
${!isModeratorKey(page.typed) && guideLink(page.site, "quickstart")}
<p><a href="${page.site.path(paths.keys)}">${bilingual({ th: "เก็บคีย์แล้ว กลับไปหน้าคีย์ทั้งหมด", en: "I've saved the key. Back to all keys" })}</a></p>
</section>`,
  });
}

/** A key for the moderators' page. */
function isModeratorKey({ scopes }: NewKeyForm): boolean {
  return scopes.length === 1 && scopes[0] === "moderate:alerts";
}

/** The key stands in the fragment, which browsers send to nobody. */
function moderatorLink({ site, key }: { site: Site; key: string }): Html {
  const address = `${site.baseUrl}${paths.moderate}#${key}`;
  return html`<p>${bilingual({
    th: "ส่งลิงก์นี้ให้ผู้ดูแล เปิดได้ทั้งในมือถือและคอมพิวเตอร์ ใครมีลิงก์นี้จะดูแลคิวของคุณได้ จนกว่าคุณจะเพิกถอนคีย์",
    en: "Send this link to your moderator, for a phone or a computer. Anyone who has it can moderate your queue until you revoke the key.",
  })}</p>
${secretField({ id: "moderator-link", label: { th: "ลิงก์ของผู้ดูแล", en: "Moderator's link" }, value: address })}`;
}

function isLive({ revokedAt, expiresAt }: ApiKeyEntry, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > now);
}

const noLiveKeys = emptyState(
  "key-round",
  { th: "ยังไม่มีคีย์ที่ใช้ได้", en: "You have no active keys." },
  bilingual({
    th: "โปรแกรมที่บันทึกโดเนทหรือคุมแจ้งเตือนใช้คีย์ สร้างได้ด้านล่าง",
    en: "Programs that record donations or control alerts use one. Create it below.",
  }),
);

function keyCard(page: ApiKeysPage, key: ApiKeyEntry): Html {
  const { site, now } = page;
  return html`<li>
<h3>${key.name === "" ? html`<code>${key.publicId}</code>` : isolated(key.name)}</h3>
<p class="note"><code>${site.brand}_v1_${key.publicId}…</code></p>
<dl>
${fact({ th: "แอป", en: "Application" }, isolated(key.application))}
${when({ th: "สร้างเมื่อ", en: "Created" }, key.createdAt)}
${fact({ th: "ใช้ล่าสุด", en: "Last used" }, key.lastUsedAt ? time(key.lastUsedAt) : bilingual({ th: "ยังไม่เคยใช้", en: "Never" }))}
${when({ th: "หมดอายุ", en: "Expires" }, key.expiresAt)}
${when({ th: "เพิกถอนเมื่อ", en: "Revoked" }, key.revokedAt)}
</dl>
${scopeList(key.scopes)}
${isLive(key, now) && revocation(page, key)}
</li>`;
}

function revocation({ site, account }: ApiKeysPage, { id, name, publicId }: ApiKeyEntry): Html {
  const button = html`<input type="hidden" name="key" value="${id}">
<button class="danger" aria-label="${bilingual({ th: `เพิกถอนคีย์นี้: ${name || publicId}`, en: `Revoke this key: ${name || publicId}` })}">${bilingual({ th: "เพิกถอนคีย์นี้", en: "Revoke this key" })}</button>`;
  return html`<details>
<summary>${bilingual({ th: "เพิกถอน…", en: "Revoke…" })}</summary>
<p>${bilingual({
    th: "โปรแกรมที่ใช้คีย์นี้จะถูกปฏิเสธภายในหนึ่งวินาที และย้อนกลับไม่ได้",
    en: "Any program that uses this key will stop working within a second. This can't be undone.",
  })}</p>
${pageForm({ site, account }, paths.revokeKey, { content: button })}
</details>`;
}

function newKeyFields({ typed, faults }: ApiKeysPage): Html {
  const field = (name: keyof NewKeyForm) => describedField({ form: keyForm, typed, faults }, name);
  return html`${field("name")}
${field("application")}
${field("scopes")}
${field("expires")}
<button class="main">${bilingual({ th: "สร้างคีย์", en: "Create key" })}</button>`;
}

/** A limit of the studio only; the contract has none. */
const maxNameLength = 60;

const keyForm = {
  fields: {
    name: {
      kind: "text",
      label: { th: "ชื่อคีย์", en: "Name" },
      hint: { th: "เพื่อให้คุณจำได้ว่าใช้ที่ไหน", en: "Helps you remember where the key is used." },
      bounds: { maxLength: maxNameLength },
    },
    /** Keys of one application share idempotency keys. */
    application: {
      kind: "text",
      label: { th: "แอป", en: "Application" },
      hint: {
        th: "คีย์ของแอปเดียวกันรู้จักโดเนทที่เคยส่งร่วมกัน ส่งโดเนทเดิมซ้ำด้วยคีย์ใหม่ก็ยังบันทึกเพียงครั้งเดียว",
        en: "Keys of the same application share idempotency keys, so a donation that is sent again with a new key is still recorded only once.",
      },
      bounds: { maxLength: maxNameLength },
    },
    scopes: { kind: "several", label: { th: "สิทธิ์", en: "Scopes" }, choices: scopeChoices, box: "scope" },
    /** The last day on which the key works, `2026-11-21`; empty for a key that does not expire. */
    expires: {
      kind: "day",
      label: { th: "วันสุดท้ายที่ใช้ได้", en: "Expiration date" },
      hint: { th: "เว้นว่างไว้ถ้าไม่ต้องการให้หมดอายุ", en: "Leave empty if the key should never expire." },
    },
  },
} as const satisfies DescribedForm;

/** The fields as they were typed. */
type NewKeyForm = Typed<typeof keyForm>;

const initialKeyForm: NewKeyForm = { name: "", application: "default", scopes: ["write:donations", "read:donations"], expires: "" };

function readKeyForm(form: URLSearchParams): NewKeyForm {
  const typed = readTyped(keyForm, form);
  return { ...typed, application: typed.application || initialKeyForm.application };
}

function findKeyFaults({ name, application, scopes, expires }: NewKeyForm, now: number): FieldFaults {
  const tooLong: Fault = { code: "too_long", message: `must have at most ${maxNameLength} characters` };
  return withFaults({
    name: name === "" ? { code: "required", message: "is required" } : [...name].length > maxNameLength && tooLong,
    application: [...application].length > maxNameLength && tooLong,
    scopes: scopes.length === 0 && { code: "required", message: "must be at least one" },
    expires: expires !== "" && expiryFault(expires, now),
  });
}

function expiryFault(expires: string, now: number): Fault | false {
  if (!isLocalDay(expires)) return { code: "invalid_format", message: "must be a day, such as 2027-12-31" };
  return expires < localDay(now) && { code: "out_of_range", message: "must not be in the past" };
}
