// The fields of a widget's form, and its preview: of the page that sets up a widget, and of the one that changes its settings.

import type { Site } from "../../http/base-url.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual } from "../../ui/layout.ts";
import { colourVariables } from "../../ui/widget-options.ts";
import type { FieldFaults } from "../components/field-faults.ts";
import { type Choices, choiceField, textField } from "../components/fields.ts";
import { paths } from "../paths.ts";
import {
  parametersOf,
  parameterValues,
  proposedValue,
  type WidgetForm,
  type WidgetParameter,
  widgetPath,
  widgetSize,
} from "./widget-form.ts";
import { parameterHint, parameterLabels, valueLabels } from "./widget-labels.ts";

type Shown = Readonly<{ site: Site; form: WidgetForm; faults: FieldFaults }>;

/** Every parameter of the widget, and the button of the preview, which a browser without scripts needs. */
export function widgetFields(shown: Shown): Html {
  const { form } = shown;
  return html`${form.kind === "goal" && goalNote(shown)}
${parametersOf(form.kind).map((name) => parameterField(shown, name))}
<button name="preview" value="now" data-previews>${bilingual({ th: "ดูตัวอย่าง", en: "Show the preview" })}</button>`;
}

/** The widget itself, with example figures, in the size that it is made for. `action`: where the form is sent. `note`: below. */
export function widgetPreview({ site, form }: Pick<Shown, "site" | "form">, action: string, note: Html | null): Html {
  const { width, height } = widgetSize(form);
  const path = widgetPath(form);
  const address = site.path(`${path}${path.includes("?") ? "&" : "?"}preview`);
  return html`<section class="card" aria-labelledby="preview">
<h2 id="preview">${bilingual({ th: "ตัวอย่าง", en: "Preview" })}</h2>
<div class="preview"><iframe data-preview="${site.path(action)}" src="${address}" width="${width}" height="${height}" title="${bilingual({ th: "ตัวอย่างวิดเจ็ต", en: "Preview of the widget" })}"></iframe></div>
<p class="note" id="size" data-follows>${bilingual({ th: `ขนาดใน OBS: ${sizeText(form)}`, en: `Size in OBS: ${sizeText(form)}` })}</p>
${note}
</section>`;
}

export function sizeText(form: WidgetForm): string {
  const { width, height } = widgetSize(form);
  return `${width} × ${height}`;
}

function goalNote({ site }: Shown): Html {
  return html`<p class="note">${bilingual({ th: "ชื่อ ยอด และวันของเป้าหมายอยู่ในหน้าตั้งค่า", en: "Title, target and days of the goal are in the settings." })} <a href="${site.path(paths.settings)}#goal">${bilingual({ th: "ไปที่เป้าหมาย", en: "Go to the goal" })}</a></p>`;
}

function parameterField({ form, faults }: Shown, name: WidgetParameter): Html {
  const typed = form.values[name] ?? "";
  const hint = parameterHint(form.kind, name);
  const field = { name, label: parameterLabels[name], typed: typed || proposedValue(name), ...(hint && { hint: bilingual(hint) }) };
  const choices = choicesOf(name);
  if (choices) return choiceField({ ...field, choices }, faults);
  if (name === "title") return textField(field, faults);
  return html`${name === "card" && html`<p class="note">${bilingual(anyColour)}</p>`}${textField({ ...field, colour: colourVariables[name as keyof typeof colourVariables] }, faults)}`;
}

/** Once, above the first of the colours. */
const anyColour = {
  th: "สีใดก็ได้ของ CSS เช่น #27c7a5, teal หรือ rgb(39, 199, 165) เว้นว่างถ้าใช้สีของธีม",
  en: "Any CSS colour, such as #27c7a5, teal or rgb(39, 199, 165). Empty: the theme's.",
};

/** The choices of a parameter with few values; null for a text. */
function choicesOf(name: WidgetParameter): Choices | null {
  if (name === "count") return parameterValues.count.map((count) => [count, { th: count, en: count }] as const);
  return name in valueLabels ? Object.entries(valueLabels[name as keyof typeof valueLabels]) : null;
}
