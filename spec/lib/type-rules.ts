// Rules for what operations are made of.

import { type EnumMember, getDoc, type Namespace, type Program, type Type } from "@typespec/compiler";

/** What is wrong, and at which declaration. */
export type Finding = Readonly<{ target: Type; message: string }>;

export function scopeMembers(namespace: Namespace | undefined): EnumMember[] {
  return [...(namespace?.enums.get("Scope")?.members.values() ?? [])];
}

/** Streamers decide by the description whether to grant a scope. */
export function scopesAreDescribed(program: Program, service: Namespace): Finding[] {
  const silent = scopeMembers(service).filter((scope) => !getDoc(program, scope));
  return silent.map((target) => ({ target, message: `The scope ${target.name} does not say what it allows: give it a doc comment.` }));
}
