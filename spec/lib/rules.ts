// What a designer can forget, reported by `make generate` and `make drift` with file and line.

import type { Program } from "@typespec/compiler";
import { listServices } from "@typespec/compiler";
import { getAllHttpServices, type HttpOperation } from "@typespec/http";
import { closesItsBody, explainsItsProblems, isDescribed, isLimited, isShown, needsKnownScopes } from "./operation-rules.ts";
import { decidesDonorText, decidesItsAnswers, namesItsTexts } from "./text-rules.ts";
import { type Finding, scopesAreDescribed } from "./type-rules.ts";

const operationRules: Record<string, (program: Program, operation: HttpOperation) => Finding[]> = {
  described: isDescribed,
  example: isShown,
  "rate-limit": isLimited,
  scope: needsKnownScopes,
  closed: closesItsBody,
  "body-text": namesItsTexts,
  "answer-text": decidesItsAnswers,
  problem: explainsItsProblems,
};

const serviceRules: Record<string, (program: Program) => Finding[]> = {
  scope: (program) => listServices(program).flatMap(({ type }) => scopesAreDescribed(program, type)),
  "donor-text": (program) => listServices(program).flatMap(({ type }) => decidesDonorText(program, type)),
};

export function $onValidate(program: Program): void {
  const operations = getAllHttpServices(program)[0].flatMap((service) => service.operations);
  for (const [code, rule] of Object.entries(operationRules))
    report(
      program,
      code,
      operations.flatMap((operation) => rule(program, operation)),
    );
  for (const [code, rule] of Object.entries(serviceRules)) report(program, code, rule(program));
}

/** What several operations share is reported once. */
function report(program: Program, code: string, findings: readonly Finding[]): void {
  const once = new Map(findings.map((finding) => [finding.message, finding]));
  for (const { target, message } of once.values()) program.reportDiagnostic({ code: `namjai/${code}`, severity: "error", message, target });
}
