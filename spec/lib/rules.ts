// The contract's own rules, reported by `make generate` and `make check` with file and line.

import type { Program } from "@typespec/compiler";
import { listServices } from "@typespec/compiler";
import { getAllHttpServices, type HttpOperation } from "@typespec/http";
import { requireAuthentication, requireDeclaredCodes, requireRefusals, requireTool } from "./access-rules.ts";
import { requireAnsweredMembers, requireEventModels } from "./counterpart-rules.ts";
import { requireDescribedMembers, requireRoomForChoices } from "./list-rules.ts";
import {
  requireClosedBody,
  requireDescribedTags,
  requireDescription,
  requireEnvelope,
  requireExample,
  requireExplainedProblems,
  requireKnownScopes,
  requireRateLimit,
} from "./operation-rules.ts";
import { requireBoundedParameters, requireDecidedAnswerTexts, requireDonatorTextDecision, requireNamedTexts } from "./text-rules.ts";
import { type Finding, requireScopeDescriptions } from "./type-rules.ts";

const operationRules: Record<string, (program: Program, operation: HttpOperation) => Finding[]> = {
  described: requireDescription,
  "described-member": requireDescribedMembers,
  auth: requireAuthentication,
  refusal: requireRefusals,
  code: requireDeclaredCodes,
  tool: requireTool,
  choices: requireRoomForChoices,
  tag: requireDescribedTags,
  example: requireExample,
  "rate-limit": requireRateLimit,
  scope: requireKnownScopes,
  envelope: requireEnvelope,
  closed: requireClosedBody,
  "body-text": requireNamedTexts,
  "query-text": requireBoundedParameters,
  "answer-text": requireDecidedAnswerTexts,
  problem: requireExplainedProblems,
};

const serviceRules: Record<string, (program: Program) => Finding[]> = {
  scope: (program) => listServices(program).flatMap(({ type }) => requireScopeDescriptions(program, type)),
  "donator-text": (program) => listServices(program).flatMap(({ type }) => requireDonatorTextDecision(program, type)),
  answered: (program) => listServices(program).flatMap(({ type }) => requireAnsweredMembers(program, type)),
  "event-model": (program) => listServices(program).flatMap(({ type }) => requireEventModels(program, type)),
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

/** Reports each message once, also when several operations share a declaration. */
function report(program: Program, code: string, findings: readonly Finding[]): void {
  const once = new Map(findings.map((finding) => [finding.message, finding]));
  for (const { target, message } of once.values()) program.reportDiagnostic({ code: `namjai/${code}`, severity: "error", message, target });
}
