// A field for a voice of the speech engine: one of those that it names, or another that is typed.

import type { Html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import type { FieldFaults } from "./field-faults.ts";
import { textField } from "./fields.ts";

/** A voice of the speech engine: the name that settings and variations take, and its language in words. */
export type Voice = Readonly<{ name: string; language: string }>;

/** `unset`: what speaks while the field is empty. */
type VoiceField = Omit<Parameters<typeof textField>[0], "hint" | "suggestions"> & Readonly<{ unset: Readonly<{ th: string; en: string }> }>;

export function voiceField({ unset, ...field }: VoiceField, voices: readonly Voice[], faults: FieldFaults): Html {
  const hint: Bilingual =
    voices.length > 0
      ? { th: `เลือกจากรายการ หรือเว้นว่างถ้าใช้${unset.th}`, en: `Choose from the list, or leave it empty: ${unset.en}.` }
      : { th: `เว้นว่างถ้าใช้${unset.th}`, en: `Empty: ${unset.en}.` };
  return textField({ ...field, hint: bilingual(hint), suggestions: voices.map(({ name, language }) => [name, language]) }, faults);
}
