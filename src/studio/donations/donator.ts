// The page of one donator: all donations, what they add up to, a note of the streamer's own, and whether the name is blocked.

import { containsBlocked } from "../../alerts/settings/blocked-words.ts";
import { summedIn } from "../../base/summed-currency.ts";
import { erasedName } from "../../base/text.ts";
import { donatorKey } from "../../donations/donation.ts";
import { maxNoteLength } from "../../donations/donator-notes.ts";
import { Problem } from "../../http/problem.ts";
import type { Standing } from "../../reports/donator-standing.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { heldAmong } from "../alerts/held-alerts.ts";
import { type Donation, formatAmount, formatNumber } from "../components/donation.ts";
import { donationTable } from "../components/donation-table.ts";
import { type FieldFaults, textAreaField } from "../components/fields.ts";
import { backLink, fact, type PageContext, pageForm, studioPage, time } from "../components/frame.ts";
import { backTo, noticeOf, orBack } from "../notices.ts";
import { type Donator, donatorAddress, paths } from "../paths.ts";
import { changeAlertSettings, readAlertSettings } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";

/** GET /studio/donator */
export const showDonator = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.history, ({ account, query }) => renderDonator(deps, account, { query, notice: noticeOf(query) }));

/** POST /studio/donator/note */
export const saveNote = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.history, async ({ account, form }) => {
    const { accounts, donations } = deps;
    const note = (form.get("note") ?? "").replaceAll("\r\n", "\n").trim();
    if ([...note].length > maxNoteLength) {
      const fault = { pointer: "/note", code: "too_long", message: `must have at most ${maxNoteLength} characters` } as const;
      return renderDonator(deps, account, { status: 400, query: form, typed: note, faults: { note: [fault] } });
    }
    const donator = donatorIn(form);
    const key = keyOf(donator);
    const { donations: some } = await donations.ofDonator(account.streamer.id, key, null);
    if (some.length === 0) return backTo(accounts.site, paths.history, "no-donator");
    await donations.saveNote(account.streamer.id, key, note);
    return backTo(accounts.site, donatorAddress(donator), "note-saved");
  });

/** POST /studio/donator/block: the name becomes a blocked word of the settings, or none any more. */
export const blockName = ({ accounts, client }: StudioDeps): PageHandler =>
  accounts.form(paths.history, async ({ account, form }) => {
    const { id } = account.streamer;
    const page = donatorAddress(donatorIn(form));
    const [name, isOn] = [form.get("word") ?? "", form.get("block") === "on"];
    return orBack(accounts.site, { validation_failed: [page, "not-blocked"] }, async () => {
      const settings = await readAlertSettings(client, id);
      const others = settings.blockedWords.filter((word) => word !== name);
      await changeAlertSettings(client, id, { from: settings, to: { blockedWords: isOn ? [...others, name] : others } });
      return backTo(accounts.site, page, isOn ? "name-blocked" : "name-unblocked");
    });
  });

function donatorIn(query: URLSearchParams): Donator {
  return { name: query.get("name") ?? "", identifier: query.get("identifier") || null };
}

function keyOf({ name, identifier }: Donator): string {
  return donatorKey(name, identifier);
}

/** `query`: names the donator. `typed`: a note that was refused; without one the form shows what is stored. */
type Asked = Pick<PageContext, "status" | "notice"> & Readonly<{ query: URLSearchParams; typed?: string; faults?: FieldFaults }>;

async function renderDonator(deps: StudioDeps, account: Account, { query, ...state }: Asked): Promise<PageReply> {
  const { accounts, client, donations } = deps;
  const { id } = account.streamer;
  const donator = donatorIn(query);
  const key = keyOf(donator);
  try {
    const [standing, page, note, settings] = await Promise.all([
      donations.standing(id, key),
      donations.ofDonator(id, key, query.get("cursor")),
      donations.note(id, key),
      readAlertSettings(client, id),
    ]);
    const name = standing?.name ?? page.donations[0]?.donatorName;
    if (name === undefined || name === erasedName) return backTo(accounts.site, paths.history, "no-donator");
    const held = await heldAmong(deps, id, page.donations);
    const { blockedWords } = settings;
    const blocked = blockedWords.includes(name) ? "name" : containsBlocked(blockedWords, [name]) ? "word" : null;
    const shown = { donator, name, standing, ...page, held, typed: note, faults: {}, blocked } as const;
    return donatorPage({ site: accounts.site, account, ...shown, ...state });
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_cursor") return seeOther(accounts.site.path(donatorAddress(donator)));
    throw error;
  }
}

type DonatorPage = PageContext &
  Readonly<{
    donator: Donator;
    /** As the latest donation has it. */
    name: string;
    /** Null when nothing of the donator counts. */
    standing: Standing | null;
    donations: readonly Donation[];
    next: string | null;
    held: ReadonlySet<string>;
    /** The note as it is typed. */
    typed: string;
    faults: FieldFaults;
    /** By the name itself, or by a word in it. */
    blocked: "name" | "word" | null;
  }>;

function donatorPage(page: DonatorPage): PageReply {
  const { site, donator, name, donations, held, next } = page;
  const caption = { th: `โดเนทของ ${name}`, en: `Donations of ${name}` };
  const older =
    next &&
    html`<p class="buttons"><a class="button" href="${site.path(donatorAddress(donator, next))}">${bilingual({ th: "เก่ากว่านี้", en: "Older" })}</a></p>`;
  return studioPage({
    ...page,
    here: paths.history,
    title: { th: name, en: name },
    content: html`${backLink(site, { here: donatorAddress(donator), to: paths.history, words: { th: "ประวัติทั้งหมด", en: "All donations" } })}
<section class="card" aria-label="${bilingual({ th: "ยอดของผู้โดเนท", en: "What this donator has given" })}">${figures(page)}</section>
<div class="columns">
<section class="card" aria-labelledby="given"><h2 id="given">${bilingual({ th: "โดเนท", en: "Donations" })}</h2>
${donationTable({ site, donations, held, caption })}${older}
</section>
<section class="card" aria-labelledby="own"><h2 id="own">${bilingual({ th: "สำหรับคุณ", en: "For you alone" })}</h2>
${noteForm(page)}
${blockForm(page)}
</section>
</div>`,
  });
}

const none: Bilingual = { th: "ไม่มีโดเนทที่นับ", en: "None of these donations counts." };

function figures({ standing }: DonatorPage): Html {
  if (!standing) return html`<p>${bilingual(none)}</p>`;
  const { total, count, rank, firstAt, lastAt } = standing;
  return html`<dl class="figures">
${fact({ th: "รวม", en: "Total" }, html`<strong class="sum">${formatAmount(total, summedIn)}</strong>`)}
${fact({ th: "ครั้ง", en: "Donations" }, html`<strong class="sum">${formatNumber(count)}</strong>`)}
${fact({ th: "อันดับตามยอด", en: "Rank by amount" }, html`<strong class="sum">#${formatNumber(rank)}</strong>`)}
${fact({ th: "ครั้งแรก", en: "First" }, time(new Date(firstAt)))}
${fact({ th: "ล่าสุด", en: "Latest" }, time(new Date(lastAt)))}
</dl>`;
}

function hiddenFields({ name, identifier }: Donator): Html {
  return html`<input type="hidden" name="name" value="${name}"><input type="hidden" name="identifier" value="${identifier ?? ""}">`;
}

function noteForm({ site, account, donator, typed, faults }: DonatorPage): Html {
  const label = { th: "บันทึกของคุณ", en: "Your note" };
  const hint = bilingual({
    th: "ไม่แสดงบนสตรีม และหายไปเมื่อลบข้อมูลผู้โดเนท",
    en: "It is shown nowhere else, and goes when the donator is erased.",
  });
  const content = html`${hiddenFields(donator)}${textAreaField({ name: "note", label, typed, hint, bounds: { maxLength: maxNoteLength } }, faults)}<button>${bilingual({ th: "บันทึก", en: "Save note" })}</button>`;
  return pageForm({ site, account }, paths.saveNote, { content });
}

const consequence: Bilingual = {
  th: "แจ้งเตือนของชื่อนี้จะเป็นไปตามที่ตั้งไว้สำหรับคำต้องห้าม",
  en: "Alerts of a blocked name are treated like those with a blocked word.",
};
const byWord: Bilingual = { th: "ชื่อนี้มีคำต้องห้ามอยู่แล้ว", en: "A blocked word is in this name already." };

function blockForm({ site, account, donator, name, blocked }: DonatorPage): Html {
  const [value, words, rank] =
    blocked === "name"
      ? (["off", { th: "เลิกบล็อกชื่อนี้", en: "Unblock this name" }, ""] as const)
      : (["on", { th: "บล็อกชื่อนี้", en: "Block this name" }, "danger"] as const);
  const content = html`${hiddenFields(donator)}<input type="hidden" name="word" value="${name}"><button class="${rank}" name="block" value="${value}">${bilingual(words)}</button>`;
  return html`<h3>${bilingual({ th: "แจ้งเตือน", en: "Alerts" })}</h3>
<p class="note">${bilingual(blocked === "word" ? byWord : consequence)} <a href="${site.path(paths.settings)}">${bilingual({ th: "ตั้งค่า", en: "Settings" })}</a></p>
${blocked !== "word" && pageForm({ site, account }, paths.blockName, { content })}`;
}
