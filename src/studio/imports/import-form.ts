// Reads the forms of an import. Each of them brings the file: the server keeps no donators' names between two forms, and needs no clean-up.

import type { FileChoices } from "../../donations/import/files/choices.ts";
import { type FileMember, fileMembers } from "../../donations/import/files/columns.ts";
import type { Upload } from "../../donations/import/files/uploads.ts";
import { currentReader } from "../../ui/reader.ts";
import { readTimeZone } from "../components/time-zones.ts";
import { choiceLabels } from "./import-choices.ts";

/** Of a file; the bound of the form's body leaves room for its base64. A longer list is for the API and the command line. */
export const maxFileBytes = 2 * 1_048_576;

const maxNameLetters = 200;
const maxColumns = 200;

/** The file of the form, with what was chosen; the time zone is the reader's before a choice. Else why there is none. */
export function readUpload(form: URLSearchParams): Required<Upload> | "no-file" | "large-file" {
  const name = (form.get("file name") ?? "").slice(-maxNameLetters).toWellFormed(); // the end has the kind of file
  const bytes = Buffer.from(form.get("file") ?? "", "base64");
  if (name === "") return "no-file";
  if (bytes.length > maxFileBytes) return "large-file";
  const timezone = readTimeZone(form) ?? currentReader().timeZone;
  const choices = readChoices(form);
  if (form.has("shown table") && form.get("shown table") !== tableOf(choices))
    return { name, bytes, places: null, timezone, choices: { ...choices, dateOrder: null, decimal: null } };
  return { name, bytes, places: form.has("column 0") ? readPlaces(form) : null, timezone, choices };
}

/** Names the table that these choices show. What was chosen about its columns says nothing of another table. */
export function tableOf({ encoding, separator, sheet }: FileChoices): string {
  return JSON.stringify([encoding, separator, sheet]);
}

function readChoices(form: URLSearchParams): FileChoices {
  const pick = <Value extends string>(name: string, labels: Readonly<Record<Value, unknown>>) =>
    (Object.keys(labels) as Value[]).find((value) => value === form.get(name)) ?? null;
  return {
    encoding: pick("encoding", choiceLabels.encoding),
    separator: pick("separator", choiceLabels.separator),
    sheet: form.get("sheet")?.slice(0, maxNameLetters).toWellFormed() || null,
    dateOrder: pick("dateOrder", choiceLabels.dateOrder),
    decimal: pick("decimal", choiceLabels.decimal),
    withUnpaid: form.has("withUnpaid"),
  };
}

/** Of two columns for the same member the first counts. */
function readPlaces(form: URLSearchParams): NonNullable<Upload["places"]> {
  const places: Partial<Record<FileMember, number>> = {};
  for (let place = 0; place < maxColumns && form.has(`column ${place}`); place += 1) {
    const member = fileMembers.find((one) => one === form.get(`column ${place}`));
    if (member) places[member] ??= place;
  }
  return places;
}
