// Writes generated/openapi.json: what @typespec/openapi3 makes of the contract, completed with what that emitter cannot express.
// Writes generated/openapi-3.2.json and generated/asyncapi.json: the same contract for tools that understand streams.
// Writes generated/locations.json: where in spec/ the operations and their members are.

import { type EmitContext, emitFile, type Program, resolvePath } from "@typespec/compiler";
import { getAllHttpServices } from "@typespec/http";
import { getOpenAPI3 } from "@typespec/openapi3";
import { asAsyncApi } from "./async-api.ts";
import { completeDocument, type Document } from "./complete.ts";
import { addExamples, addRequestExamples } from "./examples.ts";
import { locationsOf } from "./locations.ts";
import { shareParts } from "./shared-parts.ts";
import { asOpenApi32, describeStreams } from "./streams.ts";
import { moveWebhooks } from "./webhooks.ts";

/** The name under which tspconfig.yaml has the options. */
export const $lib = { name: "namjai", diagnostics: {} };

export async function $onEmit({
  program,
  options,
  emitterOutputDir,
}: EmitContext<NonNullable<Parameters<typeof getOpenAPI3>[1]>>): Promise<void> {
  const [service] = await getOpenAPI3(program, options);
  if (!service || service.versioned) throw new Error("spec/ must declare exactly one service, without @versioned");
  program.reportDiagnostics(service.diagnostics);
  const document = completeDocument(service.document as unknown as Document);
  addRequestExamples(document);
  reportMissingExamples(program, addExamples(document));
  if (program.hasError()) return;
  describeStreams(document);
  moveWebhooks(document);
  shareParts(document);
  const write = (name: string, content: object): Promise<void> =>
    emitFile(program, { path: resolvePath(emitterOutputDir, name), content: `${JSON.stringify(content, null, 2)}\n` });
  await write("openapi.json", document);
  await write("openapi-3.2.json", asOpenApi32(document));
  await write("asyncapi.json", asAsyncApi(document));
  await write("locations.json", locationsOf(program));
}

/** Reports answers that have no example, given as `getMe 200`. */
function reportMissingExamples(program: Program, silent: readonly string[]): void {
  const operations = getAllHttpServices(program)[0].flatMap((service) => service.operations.map(({ operation }) => operation));
  for (const answer of silent) {
    const target = operations.find(({ name }) => answer.startsWith(`${name} `));
    const message = `The response ${answer} has no example: add @example(…) to its model, or to each of its members whose type has no example.`;
    if (target) program.reportDiagnostic({ code: "namjai/example", severity: "error", message, target });
  }
}
