// The alert designer: the list of variations, and the images and sounds that they use.

import { hash } from "node:crypto";
import { Readable } from "node:stream";
import type { Settings } from "../../alerts/settings/settings.ts";
import { boundsOf, isVoiceName } from "../../http/contract/published.ts";
import { currentReader } from "../../ui/reader.ts";
import { type GuardedHandler, type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import { isUnknownVoice, readVoices, speaks } from "../components/voice-field.ts";
import { backTo, type Notice, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import { changeAlertSettings, readAlertSettings, type StreamerClient } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { variationsWith } from "./alert-files.ts";
import { designerPage } from "./designer-page.ts";
import { sampleOf } from "./samples.ts";
import { knownVariations } from "./variation-form.ts";
import { chooseTest, findCover } from "./variation-order.ts";

type Variations = Settings["variations"];

/** Names the list, so that a form of an older list changes nothing. */
export function versionOf(variations: Variations): string {
  return hash("sha256", JSON.stringify(variations), "hex").slice(0, 16);
}

/** GET /studio/designer */
export const showDesigner = ({ accounts, client, alertFiles }: StudioDeps): PageHandler =>
  accounts.page(paths.designer, async ({ account, query }) => {
    const { id } = account.streamer;
    const [{ variations }, files] = await Promise.all([readAlertSettings(client, id), alertFiles.list(id)]);
    const version = versionOf(variations);
    return designerPage({
      site: accounts.site,
      account,
      notice: testNotice(query, variations) ?? inUseNotice(query, variations) ?? noticeOf(query),
      variations,
      version,
      files,
      most: boundsOf("AlertVariation", "from").maximum ?? 0,
    });
  });

/** POST /studio/designer/move: moves a variation up or down, or above the one that keeps it from playing, or deletes it. */
export const moveVariation = ({ accounts, client }: StudioDeps): PageHandler =>
  accounts.form(paths.designer, async ({ account, form }) => {
    const { id } = account.streamer;
    const settings = await readAlertSettings(client, id);
    const { variations } = settings;
    if (form.get("version") !== versionOf(variations)) return backTo(accounts.site, paths.designer, "designer-changed");
    const place = placeOf(form, variations);
    if (place === null) return backTo(accounts.site, paths.designer, "no-variation");
    const to = form.get("to") ?? "";
    const changed = { variations: moved(knownVariations(variations), place, to) };
    await changeAlertSettings(client, id, { from: settings, to: changed });
    return backTo(accounts.site, paths.designer, to === "away" ? "variation-deleted" : "variation-moved");
  });

/** POST /studio/designer/test: sends a test alert that plays the variation, if there is one, to the stream, and tells what plays. */
export const testVariation = ({ accounts, client }: StudioDeps): PageHandler =>
  accounts.form(paths.designer, async ({ account, form }) => {
    const { variations } = await readAlertSettings(client, account.streamer.id);
    const place = placeOf(form, variations);
    if (place === null) return backTo(accounts.site, paths.designer, "no-variation");
    return seeOther(accounts.site.path(`${paths.designer}?note=${await sendTest(client, account.streamer.id, { variations, place })}`));
  });

const testMessages = { th: "ทดสอบการแจ้งเตือน", en: "Testing the alert" };

/** Sends a test alert for the variation at the place. Resolves to the note that tells what plays. */
export async function sendTest(
  client: StreamerClient,
  streamerId: string,
  { variations, place }: { variations: Variations; place: number },
): Promise<string> {
  const { amount, played } = chooseTest(variations, place);
  const body = { amount, message: testMessages[currentReader().language] };
  await client.call(streamerId, "sendTestAlert", { body });
  return `test-${place}-${played ?? "default"}`;
}

/** POST /studio/designer/upload */
export const uploadFile = ({ accounts, alertFiles }: StudioDeps): GuardedHandler =>
  accounts.form(paths.designer, async ({ account, form }) => {
    const name = form.get("file name") ?? "";
    if (name === "") return backTo(accounts.site, paths.designer, "no-file");
    const added = await alertFiles.add(account.streamer.id, { name, bytes: Buffer.from(form.get("file") ?? "", "base64") });
    return backTo(accounts.site, paths.designer, "refused" in added ? `file-${added.refused}` : "file-added");
  });

/** POST /studio/designer/delete-file */
export const deleteFile = ({ accounts, alertFiles }: StudioDeps): PageHandler =>
  accounts.form(paths.designer, async ({ account, form }) => {
    const file = form.get("file") ?? "";
    const outcome = await alertFiles.remove(account.streamer.id, file);
    if (outcome === "in_use") return seeOther(accounts.site.path(`${paths.designer}?note=file-in-use&file=${encodeURIComponent(file)}`));
    return backTo(accounts.site, paths.designer, outcome === "removed" ? "file-deleted" : "no-media");
  });

/** What is asked for does not come: there is no engine, it fails, or it has spoken too much for the streamer. */
const unspoken: PageReply = { status: 503, html: "", retryAfter: 10 };

/** GET /studio/listen: `sample` names the text. Without `voice` it is that of the settings, and with an empty one the server's. */
export const listen = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.designer, async ({ account, query }) => {
    const { speech } = deps;
    const voices = await readVoices(speech);
    if (!speaks(voices)) return unspoken;
    const typed = query.get("voice")?.trim();
    // A voice that the engine does not have is not asked for: one text makes no more audio than there are voices.
    const isUsable = typed !== undefined && isVoiceName(typed) && !isUnknownVoice(typed, voices);
    const voice = typed === undefined ? {} : { voice: isUsable ? typed : null };
    const audio = await speech.sample(account.streamer.id, { ...sampleOf(query.get("sample") ?? ""), ...voice });
    if (!audio?.mime.startsWith("audio/")) return unspoken;
    const headers = { "Content-Length": String(audio.bytes.length), "X-Content-Type-Options": "nosniff" };
    return { status: 200, file: { type: audio.mime, headers, body: Readable.from([audio.bytes]) } };
  });

/** The place that the form names; null when the list has no such place. */
export function placeOf(form: URLSearchParams, variations: Variations): number | null {
  const place = form.get("place") ?? "";
  return /^\d{1,3}$/.test(place) && Number(place) < variations.length ? Number(place) : null;
}

/** What the test of a variation plays: the address names the places of both, as in `?note=test-1-0`. Null for another notice. */
export function testNotice(query: URLSearchParams, variations: Variations): Notice | null {
  const [, tested = "", played = ""] = /^test-(\d+)-(\d+|default)$/.exec(query.get("note") ?? "") ?? [];
  const own = variations[Number(tested)];
  if (tested === "" || !own) return null;
  const other = variations[Number(played)]?.name;
  if (tested === played)
    return { good: true, words: { th: `ส่งแจ้งเตือนทดสอบของ “${own.name}” แล้ว`, en: `Test alert sent: “${own.name}” plays.` } };
  return {
    good: false,
    words: {
      th: `ส่งแจ้งเตือนทดสอบแล้ว แต่จะแสดงด้วย${other === undefined ? "แบบเริ่มต้น" : `รูปแบบ “${other}”`} ไม่ใช่ “${own.name}”`,
      en: `Test alert sent, but ${other === undefined ? "the default look" : `“${other}”`} plays instead of “${own.name}”.`,
    },
  };
}

/** Which variations keep a file from being deleted: the address names the file. Null for another notice, and when none uses it any more. */
function inUseNotice(query: URLSearchParams, variations: Variations): Notice | null {
  const users = query.get("note") === "file-in-use" ? variationsWith(query.get("file") ?? "", variations) : [];
  if (users.length === 0) return null;
  const names = users.map(({ name }) => `“${name}”`).join(", ");
  return {
    good: false,
    words: {
      th: `ยังไม่ได้ลบ รูปแบบ ${names} ใช้ไฟล์นี้อยู่ เลือกไฟล์อื่นในรูปแบบนั้นก่อน`,
      en: `Not deleted: ${names} ${users.length === 1 ? "uses" : "use"} this file. Choose another one there first.`,
    },
  };
}

/** `to`: up, down, above or away; anything else leaves the list as it is. */
function moved(variations: Variations, place: number, to: string): Variations {
  const others = variations.filter((_, i) => i !== place);
  const one = variations.slice(place, place + 1);
  if (to === "away") return others;
  if (to === "above") return others.toSpliced(findCover(variations, place) ?? place, 0, ...one);
  const step = { up: -1, down: 1 }[to] ?? 0;
  return others.toSpliced(Math.max(0, place + step), 0, ...one);
}
