// The page of one variation: its form, a preview by the overlay's own page, and files that are uploaded there.

import type { AlertFile } from "../../alerts/media/alert-files.ts";
import type { Settings, Variation } from "../../alerts/settings/settings.ts";
import { type Fault, Problem } from "../../http/problem.ts";
import { type GuardedHandler, type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { type FieldFaults, faultsByField, faultsByMember } from "../components/fields.ts";
import { readVoices, type Voices, voiceFaults } from "../components/voice-field.ts";
import { backTo, type Notice, type NoticeName, notices } from "../notices.ts";
import { paths, variationAddress } from "../paths.ts";
import { changeAlertSettings, readAlertSettings } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { placeOf, sendTest, testNotice, versionOf } from "./designer.ts";
import { previewAddress } from "./samples.ts";
import {
  knownVariations,
  newVariationForm,
  readVariationForm,
  toVariation,
  toVariationForm,
  type VariationForm,
} from "./variation-form.ts";
import { findCover } from "./variation-order.ts";
import { variationPage } from "./variation-page.ts";

type Shown = Readonly<{
  status?: number;
  account: Account;
  typed: VariationForm;
  /** In the list; null: a new variation. */
  place: number | null;
  /** Names the variation as the page showed it; empty for a new one. */
  version: string;
  notice?: Notice | null;
  faults?: FieldFaults;
  plays?: boolean;
}>;

/** GET /studio/designer/variation: the variation at `place`, or without it a new one with `theme`. */
export const showVariation = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.designer, async ({ account, query }) => {
    const { variations } = await readAlertSettings(deps.client, account.streamer.id);
    const place = placeOf(query, variations);
    if (place === null && query.has("place")) return backTo(deps.accounts.site, paths.designer, "no-variation");
    const variation = place === null ? null : variations[place];
    const typed = variation ? toVariationForm(variation) : newVariationForm(query.get("theme") ?? "", variations.length === 0);
    const tested = testNotice(query, variations);
    const notice = tested && { good: tested.good, words: savedAnd(tested.words) };
    return showForm(deps, { account, typed, place, version: variation ? versionOf([variation]) : "", notice });
  });

/** POST /studio/designer/preview: shows what is typed, and saves nothing. With `play` the alert plays with its sound. */
export const previewVariation = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.designer, async ({ account, form }) => {
    return showForm(deps, { account, ...readShown(form), plays: form.has("play") });
  });

/**
 * POST /studio/designer/variation: changes the variation wherever it stands by now. One that was changed or deleted elsewhere is not
 * overwritten: what was typed becomes a new one if the form is sent again. With `test` a test alert plays it on the stream.
 */
export const saveVariation = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.designer, async ({ account, form }) => {
    const { accounts, client, alertFiles } = deps;
    const { id } = account.streamer;
    const settings = await readAlertSettings(client, id);
    const { variations } = settings;
    const typed = readVariationForm(form);
    const version = form.get("version") ?? "";
    const place = form.get("place") ? findVariation(variations, form) : null;
    if (form.get("place") && place === null && !form.get("file")) {
      return showForm(deps, { status: 409, account, typed, place, version: "", notice: notices["variation-changed"] });
    }
    const saved = place === null ? null : (variations[place] ?? null);
    const changed = toVariation(typed) as Variation;
    const at = place ?? placeOfNew(variations, changed);
    const list = knownVariations(variations).toSpliced(at, place === null ? 0 : 1, changed);
    const found = findVariationFaults(typed, { at, saved, files: await alertFiles.list(id), voices: await readVoices(deps.speech) });
    const check = async () => client.check("updateAlertSettings", { body: { variations: list }, faults: found });
    if (form.get("file")) {
      const faults = faultsByMember((await faultsByField(check)) ?? {});
      return showForm(deps, { status: 400, account, ...readShown(form), faults, notice: notices["file-not-uploaded"] });
    }
    const faults = await faultsByField(async () => {
      await check();
      await changeAlertSettings(client, id, { from: settings, to: { variations: list } });
    }).catch((error: unknown) => deletedFiles(deps, { account, typed, place, version }, error));
    if (!faults && form.has("test")) {
      const note = await sendTest(client, id, { variations: list, place: at });
      return seeOther(accounts.site.path(`${variationAddress(at, "")}&note=${note}`));
    }
    if (!faults) return backTo(accounts.site, paths.designer, "variation-saved");
    const notice = Object.keys(faults).length === 0 ? notices["no-media"] : null;
    return showForm(deps, { status: 400, account, typed, place, version, faults: faultsByMember(faults), notice });
  });

/** POST /studio/designer/attach: saves the file, and nothing of the variation. */
export const attachFile = (deps: StudioDeps): GuardedHandler =>
  deps.accounts.form(paths.designer, async ({ account, form }) => {
    const { alertFiles } = deps;
    const { id } = account.streamer;
    const shown = { account, ...readShown(form) };
    const refuse = (note: NoticeName) => showForm(deps, { ...shown, status: 400, notice: notices[note] });
    const name = form.get("file name") ?? "";
    if (name === "") return refuse("no-file");
    const added = await alertFiles.add(id, { name, bytes: Buffer.from(form.get("file") ?? "", "base64") });
    if ("refused" in added) return refuse(`file-${added.refused}`);
    const typed = { ...shown.typed, [added.kind]: added.id };
    return showForm(deps, { ...shown, typed, notice: notices["file-attached"] });
  });

/** What the form says of its page, and what was typed. */
function readShown(form: URLSearchParams) {
  const place = /^\d{1,3}$/.test(form.get("place") ?? "") ? Number(form.get("place")) : null;
  return { typed: readVariationForm(form), place, version: (form.get("version") ?? "").slice(0, 16) };
}

/** At the end, or above the one that would keep it from playing. */
function placeOfNew(variations: Settings["variations"], added: Settings["variations"][number]): number {
  const place = variations.length;
  return findCover([...variations, added], place) ?? place;
}

function savedAnd({ th, en }: Notice["words"]): Notice["words"] {
  return { th: `บันทึกรูปแบบแล้ว ${th}`, en: `Variation saved. ${en}` };
}

/** The faults of fields whose file was deleted since it was chosen. Throws any other error than that. */
async function deletedFiles({ alertFiles }: StudioDeps, { account, typed }: Shown, error: unknown) {
  if (!(error instanceof Problem) || error.code !== "unknown_file") throw error;
  const known = new Set((await alertFiles.list(account.streamer.id)).map(({ id }) => id));
  const isGone = (name: "image" | "sound") => typed[name] !== "" && !known.has(typed[name]);
  const fault = { code: "invalid_format", message: "was deleted" } as const;
  return Object.fromEntries((["image", "sound"] as const).filter(isGone).map((name) => [name, [fault]]));
}

/** The place of the variation that the form was made for: where it stood, or where it was moved to. Null: there is none like it. */
function findVariation(variations: Settings["variations"], form: URLSearchParams): number | null {
  const isShown = (variation: Settings["variations"][number]) => versionOf([variation]) === form.get("version");
  const place = placeOf(form, variations);
  const found = place !== null && variations.slice(place, place + 1).some(isShown) ? place : variations.findIndex(isShown);
  return found === -1 ? null : found;
}

/** The page with what was typed. */
async function showForm({ accounts, client, alertFiles, now, speech }: StudioDeps, shown: Shown): Promise<PageReply> {
  const { site } = accounts;
  const { id } = shown.account.streamer;
  const [files, voices, { volume, speechVolume, speechSpeed: speed }] = await Promise.all([
    alertFiles.list(id),
    readVoices(speech),
    readAlertSettings(client, id),
  ]);
  const preview = previewAddress(site, shown.typed, { plays: shown.plays ?? false, turn: now(), volume });
  return variationPage({
    site,
    ...shown,
    faults: shown.faults ?? {},
    files,
    voices,
    preview,
    spoken: { volume: speechVolume ?? volume, speed },
  });
}

/** `at`: its place in the list. `saved`: the variation as it was before; null for a new one. */
type Found = Readonly<{ at: number; saved: Variation | null; files: readonly AlertFile[]; voices: Voices }>;

function findVariationFaults(typed: VariationForm, { at, saved, files, voices }: Found): Fault[] {
  const pointer = (name: string) => `/variations/${at}/${name}`;
  const { from, to, image, sound, voice } = toVariation(typed);
  const isReversed = typeof from === "number" && typeof to === "number" && to < from;
  const isGone = (id: unknown) => id !== null && !files.some((file) => file.id === id);
  return [
    ...(isReversed ? [{ pointer: pointer("to"), code: "out_of_range" as const, message: `must be at least from, which is ${from}` }] : []),
    ...(isGone(image) ? [deleted(pointer("image"))] : []),
    ...(isGone(sound) ? [deleted(pointer("sound"))] : []),
    ...voiceFaults(pointer("voice"), { typed: String(voice ?? ""), saved: saved?.voice ?? "", voices }),
  ];
}

function deleted(pointer: string): Fault {
  return { pointer, code: "invalid_format", message: "was deleted" };
}
