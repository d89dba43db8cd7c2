// Adds the tables of rate limits, scopes and problems to the OpenAPI document as extensions.

import { type EnumMember, getDoc, listServices, type Namespace, type Program } from "@typespec/compiler";
import { setExtension } from "@typespec/openapi";
import { problemWordsOf, tokenBucketOf } from "./decorators.ts";

export function $onValidate(program: Program): void {
  for (const { type: service } of listServices(program)) {
    setExtension(
      program,
      service,
      "x-rate-limits",
      table(membersOf(service, "RateLimit"), (member) => tokenBucketOf(program, member)),
    );
    setExtension(
      program,
      service,
      "x-scopes",
      table(membersOf(service, "Scope"), (member) => getDoc(program, member)),
    );
    setExtension(program, service, "x-problems", problemTable(program, service));
  }
}

/** The problem codes by status, and within one status in the order of their declaration. */
function problemTable(program: Program, service: Namespace): Record<string, unknown> {
  const codes = [...service.enums.values()].flatMap(({ members }) => [...members.values()].filter((code) => problemWordsOf(program, code)));
  const status = (code: EnumMember) => problemWordsOf(program, code)?.status ?? 0;
  const place = (code: EnumMember) => code.node?.pos ?? 0;
  return table(
    codes.sort((a, b) => status(a) - status(b) || place(a) - place(b)),
    (code) => problemWordsOf(program, code),
  );
}

function membersOf(service: Namespace, name: string): EnumMember[] {
  return [...(service.enums.get(name)?.members.values() ?? [])];
}

/** Maps the value of each enum member to its entry. */
function table(members: readonly EnumMember[], wordsOf: (member: EnumMember) => unknown): Record<string, unknown> {
  return Object.fromEntries(members.map((member) => [member.value ?? member.name, wordsOf(member)]));
}
