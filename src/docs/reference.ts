// The reference page: Scalar over /docs/openapi.json, in our frame.

import { html } from "../ui/html.ts";
import { scalarName } from "./scalar.ts";

export const reference = {
  title: "API reference",
  description: "Every operation with its parameters, bodies, answers and scopes.",
  program: scalarName,
  scripts: ["reference.js"],
  styles: ["reference.css"],
  content: html`<div id="reference" data-document="openapi.json"></div>
<noscript><p class="note">The reference is drawn by a script. Without one, read the <a href="openapi.json">OpenAPI document</a>.</p></noscript>`,
};
