// The settings page, with which streamers change how their alerts behave. What was changed elsewhere meanwhile stays.

import { createHash } from "node:crypto";
import type { Fault } from "../../http/problem.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import { splitLines } from "../components/described-form.ts";
import { faultsByField, isInRange, readNumber } from "../components/fields.ts";
import { readVoices, voiceFaults } from "../components/voice-field.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import { readAlertSettings } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { readSettings, readSettingsForm, type SettingsForm, toSettingsForm } from "./settings-form.ts";
import { settingsPage } from "./settings-page.ts";

/** GET /studio/settings */
export const showSettings = ({ accounts, client, bounds, now, speech }: StudioDeps): PageHandler =>
  accounts.page(paths.settings, async ({ account, query }) => {
    const [settings, voices] = await Promise.all([readAlertSettings(client, account.streamer.id), readVoices(speech)]);
    const typed = toSettingsForm(settings, now());
    const shown = { typed, note: noteOf(typed), faults: {}, bounds, voices };
    const html = settingsPage({ site: accounts.site, account, notice: noticeOf(query), ...shown });
    return { status: 200, html, scripted: true, audio: true };
  });

/** POST /studio/settings: changes what was changed in the form, so that what was saved in another tab meanwhile stays. */
export const changeSettings = ({ accounts, client, bounds, now, speech }: StudioDeps): PageHandler =>
  accounts.form(paths.settings, async ({ account, form }) => {
    const { id } = account.streamer;
    const current = toSettingsForm(await readAlertSettings(client, id), now());
    const typed = mergeSettings(readSettingsForm(form), new URLSearchParams(form.get("shown") ?? ""), current);
    const changes = changedSettings(typed, current);
    const voices = await readVoices(speech);
    const faults = await faultsByField(async () => {
      const voice = voiceFaults("/voice", { typed: typed.voice, saved: current.voice, voices });
      client.check("updateAlertSettings", { body: changes, faults: [...voice, ...findContradictions(typed, bounds)] });
      if (Object.keys(changes).length > 0) await client.call(id, "updateAlertSettings", { body: changes });
    });
    if (!faults) return backTo(accounts.site, paths.settings, "saved");
    const html = settingsPage({ site: accounts.site, account, typed, note: noteOf(current), faults, bounds, voices });
    return { status: 400, html, scripted: true, audio: true };
  });

/** Only fields that are sound by themselves are compared. */
function findContradictions(typed: SettingsForm, bounds: StudioDeps["bounds"]): Fault[] {
  const { minimumSeconds, maximumSeconds } = typed;
  const isSound = (name: "minimumSeconds" | "maximumSeconds") => isInRange(typed[name], bounds("AlertSettings", name));
  const [shortest, longest] = [readNumber(minimumSeconds), readNumber(maximumSeconds)];
  const [from, to] = [typed["goal.from"], typed["goal.to"]];
  return [
    ...(isSound("minimumSeconds") && isSound("maximumSeconds") && longest < shortest
      ? [{ pointer: "/maximumSeconds", code: "out_of_range" as const, message: `must be at least minimumSeconds, which is ${shortest}` }]
      : []),
    ...(isDay(from) && isDay(to) && to < from
      ? [{ pointer: "/goal/to", code: "out_of_range" as const, message: "must not be before from" }]
      : []),
  ];
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** What a page shows, in short: its form brings it back. Blocked words word by word. */
function noteOf(shown: SettingsForm): string {
  const note = Object.entries(shown).map(([name, value]) => [name, name === "blockedWords" ? hashesOf(String(value)) : hashOf(value)]);
  return new URLSearchParams(Object.fromEntries(note)).toString();
}

/** What was typed where that differs from what the page showed, and else what there is now. Without a note: what was typed. */
function mergeSettings(typed: SettingsForm, note: URLSearchParams, current: SettingsForm): SettingsForm {
  const merge = ([name, value]: [string, string | boolean]) => [
    name,
    hashOf(value) === note.get(name) ? current[name as keyof SettingsForm] : value,
  ];
  const blockedWords = mergeWords(typed.blockedWords, note.get("blockedWords"), current.blockedWords);
  return { ...(Object.fromEntries(Object.entries(typed).map(merge)) as SettingsForm), blockedWords };
}

/** The members of the contract in which two forms differ, with the values of the first. */
function changedSettings(wanted: SettingsForm, current: SettingsForm): Record<string, unknown> {
  const now = readSettings(current);
  return Object.fromEntries(
    Object.entries(readSettings(wanted)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name])),
  );
}

/** Words that were added elsewhere stay, and words that were removed elsewhere stay away. */
function mergeWords(typed: string, noted: string | null, current: string): string {
  if (noted === null || noted === hashesOf(current)) return typed;
  if (noted === hashesOf(typed)) return current;
  const shown = new Set(noted.split("."));
  const [mine, theirs] = [splitLines(typed), splitLines(current)];
  const kept = mine.filter((word) => theirs.includes(word) || !shown.has(hashOf(word)));
  return [...kept, ...theirs.filter((word) => !mine.includes(word) && !shown.has(hashOf(word)))].join("\n");
}

function hashesOf(words: string): string {
  return splitLines(words).map(hashOf).join(".");
}

function hashOf(value: string | boolean): string {
  return createHash("sha256").update(String(value)).digest("base64url").slice(0, 8);
}
