// Converts a variation of the alert between its form and the contract.

import type { Settings } from "../../alerts/settings/settings.ts";
import { enumOf } from "../../http/contract/published.ts";
import { channels, sources } from "../components/donation.ts";
import { readNumber } from "../components/fields.ts";
import { readColour } from "./colours.ts";

export type Variation = Settings["variations"][number];

/** The fields with text, named by the member of the contract; `sample` is for the preview alone. */
const textNames = [
  ...["name", "from", "to", "seconds", "template", "image", "sound", "voice", "theme", "position", "size", "fontSize"],
  ...["cardColor", "textColor", "accentColor", "secondColor", "enter", "leave", "sample"],
] as const;
export type TextName =
  | ("name" | "from" | "to" | "seconds" | "template" | "image" | "sound" | "voice" | "theme" | "position" | "size" | "fontSize")
  | ("cardColor" | "textColor" | "accentColor" | "secondColor" | "enter" | "leave" | "sample");

/** The form's fields as they were typed. No source or channel that is ticked means all of them. */
export type VariationForm = Readonly<Record<TextName, string>> &
  Readonly<{ speak: boolean; confetti: boolean; sources: readonly string[]; channels: readonly string[] }>;

export const themes = enumOf("AlertTheme");
export const positions = enumOf("AlertPosition");
export const animations = enumOf("AlertAnimation");

/** The form of a variation that there is not yet. The first one is for every donation, in place of the default look. */
export function newVariationForm(theme: string, isFirst = false): VariationForm {
  const empty = Object.fromEntries(textNames.map((name) => [name, ""])) as Record<TextName, string>;
  const style = { theme: themes.find((one) => one === theme) ?? "namjai", size: "100", fontSize: "100", enter: "theme", leave: "theme" };
  return { ...empty, ...style, from: isFirst ? "0" : "100", speak: true, confetti: false, sources: [], channels: [], sample: "short" };
}

export function toVariationForm({ style, ...variation }: Variation): VariationForm {
  const { sources, channels, speak, confetti, ...texts } = variation;
  const members: Readonly<Record<string, string | number | null>> = { ...texts, ...style, sample: "short" };
  const written = Object.fromEntries(textNames.map((name) => [name, String(members[name] ?? "")])) as Record<TextName, string>;
  return { ...written, speak, confetti, sources: sources ?? [], channels: channels ?? [] };
}

export function readVariationForm(form: URLSearchParams): VariationForm {
  const text = (name: TextName) => (form.get(name) ?? "").replaceAll("\r\n", "\n");
  const written = Object.fromEntries(textNames.map((name) => [name, text(name)])) as Record<TextName, string>;
  const ticked = (group: string, all: readonly string[]) => all.filter((one) => form.has(`${group} ${one}`));
  return {
    ...written,
    ...{ speak: form.has("speak"), confetti: form.has("confetti") },
    ...{ sources: ticked("sources", sources), channels: ticked("channels", channels) },
  };
}

/** A member for each field, with whatever was typed: the contract checks it. */
export function toVariation(form: VariationForm) {
  return {
    ...{ name: form.name.trim(), from: readNumber(form.from), to: numberOrNull(form.to), seconds: numberOrNull(form.seconds) },
    ...{ sources: form.sources.length > 0 ? form.sources : null, channels: form.channels.length > 0 ? form.channels : null },
    ...{ template: textOrNull(form.template), image: textOrNull(form.image), sound: textOrNull(form.sound) },
    ...{ voice: textOrNull(form.voice), speak: form.speak, confetti: form.confetti },
    style: {
      ...{ theme: form.theme, position: textOrNull(form.position), size: readNumber(form.size), fontSize: readNumber(form.fontSize) },
      ...{ cardColor: colourOrNull(form.cardColor), textColor: colourOrNull(form.textColor) },
      ...{ accentColor: colourOrNull(form.accentColor), secondColor: colourOrNull(form.secondColor) },
      ...{ enter: form.enter, leave: form.leave },
    },
  };
}

function textOrNull(typed: string): string | null {
  return typed.trim() === "" ? null : typed.trim();
}

function colourOrNull(typed: string): string | null {
  const text = textOrNull(typed);
  return text === null ? null : readColour(text);
}

function numberOrNull(typed: string): number | string | null {
  return typed.trim() === "" ? null : readNumber(typed);
}
