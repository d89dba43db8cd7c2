// Images and sounds in the designer: their limits in words, the field that uploads one, and who uses it.

import type { AlertFile } from "../../alerts/media/alert-files.ts";
import type { Settings } from "../../alerts/settings/settings.ts";
import { maxFileBytes, maxItemsOfList, maxTotalFileBytes } from "../../http/contract/published.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";

const mebibyte = 2 ** 20;

export const fileSize = `${maxFileBytes / mebibyte} MiB`;
export const totalSize = `${maxTotalFileBytes / mebibyte} MiB`;
export const fileCount = maxItemsOfList("AlertFiles");

export const fileLimits = {
  th: `JPEG, PNG, WebP, GIF หรือ WebM และ WAV, MP3, M4A หรือ Ogg ไฟล์ละไม่เกิน ${fileSize} รวมไม่เกิน ${totalSize}`,
  en: `JPEG, PNG, WebP, GIF or WebM; WAV, MP3, M4A or Ogg. Up to ${fileSize} each and ${totalSize} in all.`,
};

/** What is known of a file beside its name: type, size and, of an image, width and height. */
export function fileFacts({ mime, size, width, height }: AlertFile): string {
  const shown = size < mebibyte ? `${Math.ceil(size / 1024)} KiB` : `${(size / mebibyte).toFixed(1)} MiB`;
  return [mime, shown, ...(width === null ? [] : [`${width} × ${height}`])].join(" · ");
}

/** `more`: attributes of the field. */
export function fileInput(label: Bilingual, more: Html, hint: Bilingual | null = null): Html {
  return html`<label for="field-file">${bilingual(label)}</label>
${hint && html`<small id="field-file-hint">${bilingual(hint)}</small>`}
<input type="file" id="field-file" name="file" accept=".jpg,.jpeg,.png,.webp,.gif,.webm,.wav,.mp3,.m4a,.ogg,.oga,.opus"${more}>`;
}

export type FileUser = Readonly<{
  name: string;
  /** The variation's index in the list of variations. */
  place: number;
}>;

/** The variations that show or play the file, in their order. */
export function variationsWith(fileId: string, variations: Settings["variations"]): FileUser[] {
  return variations.flatMap(({ name, image, sound }, place) => (image === fileId || sound === fileId ? [{ name, place }] : []));
}
