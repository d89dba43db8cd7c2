// Writes generated/openapi.json: what @typespec/openapi3 makes of the contract, completed by what it can't say yet.

import { type EmitContext, emitFile, type Program, resolvePath } from "@typespec/compiler";
import { getAllHttpServices } from "@typespec/http";
import { getOpenAPI3 } from "@typespec/openapi3";
import { completed, type Document } from "./complete.ts";
import { addExamples } from "./examples.ts";

/** tspconfig.yaml has the options under this name. */
export const $lib = { name: "namjai", diagnostics: {} };

export async function $onEmit({
  program,
  options,
  emitterOutputDir,
}: EmitContext<NonNullable<Parameters<typeof getOpenAPI3>[1]>>): Promise<void> {
  const [service] = await getOpenAPI3(program, options);
  if (!service || service.versioned) throw new Error("spec/ declares one service without versions");
  program.reportDiagnostics(service.diagnostics);
  const document = completed(service.document as unknown as Document);
  reportSilent(program, addExamples(document));
  if (program.hasError()) return;
  await emitFile(program, { path: resolvePath(emitterOutputDir, "openapi.json"), content: `${JSON.stringify(document, null, 2)}\n` });
}

/** Answers that could not be given an example, as `getMe 200`. */
function reportSilent(program: Program, silent: readonly string[]): void {
  const operations = getAllHttpServices(program)[0].flatMap((service) => service.operations.map(({ operation }) => operation));
  for (const answer of silent) {
    const target = operations.find(({ name }) => answer.startsWith(`${name} `));
    const message = `${answer} has no example: give its model, or each member that says nothing of its values, an @example.`;
    if (target) program.reportDiagnostic({ code: "namjai/example", severity: "error", message, target });
  }
}
