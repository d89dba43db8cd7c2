// Rules for files and scopes, and what a rule reports.

import { readdirSync } from "node:fs";
import { join } from "node:path";
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

const contractFolder = join(import.meta.dirname, "..");

/** Every file of spec/ is imported; of one that is not the compiler says nothing. */
export function requireImports({ sourceFiles }: Program): Finding[] {
  const target = sourceFiles.get(join(contractFolder, "main.tsp"));
  const files = readdirSync(contractFolder).filter((name) => name.endsWith(".tsp") && !sourceFiles.has(join(contractFolder, name)));
  if (!target) return [];
  return files.map((name) => ({
    target,
    message: `spec/${name} is no part of the contract: add import "./${name}"; to spec/main.tsp, or delete the file.`,
  }));
}
