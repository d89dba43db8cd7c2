// Rules for what operations are made of.

import { type EnumMember, getDoc, getFormat, getPattern, type Namespace, type Program, type Scalar, type Type } from "@typespec/compiler";
import { donorTextOf } from "./decorators.ts";

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

/** Free text may hold what strangers want an assistant to do; somebody must have thought of it. */
export function decidesDonorText(program: Program, service: Namespace): Finding[] {
  const undecided = [...service.scalars.values()].filter(
    (scalar) => isFreeText(program, scalar) && donorTextOf(program, scalar) === undefined,
  );
  return undecided.map((target) => ({
    target,
    message: `${target.name} is free text: add @donorText(true) when donors write it, else @donorText(false).`,
  }));
}

/** A pattern or format leaves no room for sentences. */
function isFreeText(program: Program, scalar: Scalar): boolean {
  const root = rootOf(scalar);
  return root.name === "string" && !getPattern(program, scalar) && !getFormat(program, scalar);
}

function rootOf(scalar: Scalar): Scalar {
  return scalar.baseScalar ? rootOf(scalar.baseScalar) : scalar;
}
