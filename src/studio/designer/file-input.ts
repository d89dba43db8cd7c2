// The field for an image or a sound that is uploaded.

import type { AlertFile } from "../../alerts/files/alert-files.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { fileSize, totalSize } from "./file-limits.ts";

export const fileLimits = {
  th: `JPEG, PNG, WebP, GIF หรือ WebM และ WAV, MP3, M4A หรือ Ogg ไฟล์ละไม่เกิน ${fileSize} รวมไม่เกิน ${totalSize}`,
  en: `JPEG, PNG, WebP, GIF or WebM; WAV, MP3, M4A or Ogg. Up to ${fileSize} each and ${totalSize} in all.`,
};

/** What is known of a file beside its name: type, size and, of an image, width and height. */
export function fileFacts({ mime, size, width, height }: AlertFile): string {
  const shown = size < 1_048_576 ? `${Math.ceil(size / 1024)} KiB` : `${(size / 1_048_576).toFixed(1)} MiB`;
  return [mime, shown, ...(width === null ? [] : [`${width} × ${height}`])].join(" · ");
}

/** `more`: attributes of the field. */
export function fileInput(label: Bilingual, more: Html, hint: Bilingual | null = null): Html {
  return html`<label for="field-file">${bilingual(label)}</label>
${hint && html`<small id="field-file-hint">${bilingual(hint)}</small>`}
<input type="file" id="field-file" name="file" accept=".jpg,.jpeg,.png,.webp,.gif,.webm,.wav,.mp3,.m4a,.ogg,.oga,.opus"${more}>`;
}
