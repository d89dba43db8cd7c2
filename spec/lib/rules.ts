// The contract's own rules, reported by `make generate` and `make check` with file and line.

import type { Program } from "@typespec/compiler";
import { getAllHttpServices, type HttpOperation, type HttpService } from "@typespec/http";
import { requireAuthentication, requireDeclaredCodes, requireRefusals, requireTool } from "./access-rules.ts";
import { requireHeaderNames, requireMediaType, requireProblems, requireSuccess } from "./answer-rules.ts";
import { requireAgreeingBounds, requireBounds } from "./bound-rules.ts";
import { requireAnsweredMembers, requireEventModels, requireLocations, requireReferenceCodes } from "./counterpart-rules.ts";
import { requireFittingValues } from "./example-rules.ts";
import {
  requireCamelCase,
  requireDescribedChoices,
  requireDescribedMembers,
  requireDescribedTypes,
  requireDistinctChoices,
  requirePlainParameters,
  requireRoomForChoices,
} from "./list-rules.ts";
import {
  requireNoContent,
  requireOneName,
  requireOnePath,
  requireOwnSummary,
  requireRoutedParameters,
  requireUsualPath,
  requireUsualTypeNames,
  requireVerb,
} from "./naming-rules.ts";
import {
  requireClosedBody,
  requireDescribedTags,
  requireDescription,
  requireEnvelope,
  requireExample,
  requireExplainedProblems,
  requireKnownScopes,
  requireObjectBody,
  requireRateLimit,
} from "./operation-rules.ts";
import { requireBoundedParameters, requireDecidedAnswerTexts, requireDonatorTextDecision, requireNamedTexts } from "./text-rules.ts";
import { type Finding, requireImports, requireUsualScopes } from "./type-rules.ts";

const operationRules: Record<string, (program: Program, operation: HttpOperation) => Finding[]> = {
  described: requireDescription,
  "described-member": requireDescribedMembers,
  "camel-case": requireCamelCase,
  "operation-name": requireOneName,
  verb: requireVerb,
  "path-parameter": requireRoutedParameters,
  path: requireUsualPath,
  content: requireNoContent,
  bounds: requireBounds,
  parameter: requirePlainParameters,
  success: requireSuccess,
  "media-type": requireMediaType,
  header: requireHeaderNames,
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
  "object-body": requireObjectBody,
  refusals: requireProblems,
  "body-text": requireNamedTexts,
  "query-text": requireBoundedParameters,
  "answer-text": requireDecidedAnswerTexts,
  problem: requireExplainedProblems,
  reference: requireReferenceCodes,
};

const serviceRules: Record<string, (program: Program, service: HttpService) => Finding[]> = {
  scope: (_, { namespace }) => requireUsualScopes(namespace),
  "donator-text": (program, { namespace }) => requireDonatorTextDecision(program, namespace),
  answered: (program, { namespace }) => requireAnsweredMembers(program, namespace),
  "described-choice": (program, { namespace }) => requireDescribedChoices(program, namespace),
  "described-type": (program, { namespace }) => requireDescribedTypes(program, namespace),
  choice: (program, { namespace }) => requireDistinctChoices(program, namespace),
  "one-path": requireOnePath,
  summary: requireOwnSummary,
  "type-name": requireUsualTypeNames,
  "agreeing-bounds": requireAgreeingBounds,
  "event-model": (program, { namespace }) => requireEventModels(program, namespace),
  location: requireLocations,
  import: requireImports,
  value: requireFittingValues,
};

export function $onValidate(program: Program): void {
  const [services] = getAllHttpServices(program);
  const operations = services.flatMap((service) => service.operations);
  for (const [code, rule] of Object.entries(operationRules))
    report(
      program,
      code,
      operations.flatMap((operation) => rule(program, operation)),
    );
  for (const [code, rule] of Object.entries(serviceRules))
    report(
      program,
      code,
      services.flatMap((service) => rule(program, service)),
    );
}

/** Reports each message once, also when several operations share a declaration. */
function report(program: Program, code: string, findings: readonly Finding[]): void {
  const once = new Map(findings.map((finding) => [finding.message, finding]));
  for (const { target, message } of once.values()) program.reportDiagnostic({ code: `namjai/${code}`, severity: "error", message, target });
}
