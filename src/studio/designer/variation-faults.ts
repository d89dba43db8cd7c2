// Finds what is wrong with a variation beside what the contract finds in single fields, so that both are named at once.

import type { AlertFile } from "../../alerts/files/alert-files.ts";
import type { Fault } from "../../http/problem.ts";
import { type Voices, voiceFaults } from "../components/voice-field.ts";
import { toVariation, type Variation, type VariationForm } from "./variation-form.ts";

/** `at`: its place in the list. `saved`: the variation as it was before; null for a new one. */
type Found = Readonly<{ at: number; saved: Variation | null; files: readonly Pick<AlertFile, "id">[]; voices: Voices }>;

export function findVariationFaults(typed: VariationForm, { at, saved, files, voices }: Found): Fault[] {
  const pointer = (name: string) => `/variations/${at}/${name}`;
  const { from, to, image, sound, voice } = toVariation(typed);
  const isReversed = typeof from === "number" && typeof to === "number" && to < from;
  const isGone = (id: string | null) => id !== null && !files.some((file) => file.id === id);
  return [
    ...(isReversed ? [{ pointer: pointer("to"), code: "out_of_range" as const, message: `must be at least from, which is ${from}` }] : []),
    ...(isGone(image) ? [deleted(pointer("image"))] : []),
    ...(isGone(sound) ? [deleted(pointer("sound"))] : []),
    ...voiceFaults(pointer("voice"), { typed: voice ?? "", saved: saved?.voice ?? "", voices }),
  ];
}

function deleted(pointer: string): Fault {
  return { pointer, code: "invalid_format", message: "was deleted" };
}
