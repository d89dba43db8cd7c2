// Rules for scopes, and what a rule reports.

import { type DiagnosticTarget, type EnumMember, getDoc, type Namespace, type Program } from "@typespec/compiler";

/** A message, and the declaration or the value that it is about. */
export type Finding = Readonly<{ target: DiagnosticTarget; message: string }>;

export function scopeMembers(namespace: Namespace | undefined): EnumMember[] {
  return [...(namespace?.enums.get("Scope")?.members.values() ?? [])];
}

/** Every scope has a description: streamers decide by it whether to grant the scope. */
export function requireScopeDescriptions(program: Program, service: Namespace): Finding[] {
  const silent = scopeMembers(service).filter((scope) => !getDoc(program, scope));
  return silent.map((target) => ({
    target,
    message: `The scope ${target.name} has no description: write above it what it allows, /** … */.`,
  }));
}
