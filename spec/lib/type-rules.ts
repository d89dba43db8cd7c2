// Rules for files and scopes, and what a rule reports.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { DiagnosticTarget, EnumMember, Namespace, Program } from "@typespec/compiler";

/** A message, and the declaration or the value that it is about. */
export type Finding = Readonly<{ target: DiagnosticTarget; message: string }>;

export function scopeMembers(namespace: Namespace | undefined): EnumMember[] {
  return [...(namespace?.enums.get("Scope")?.members.values() ?? [])];
}

/** A scope is a verb and what it is about, such as `read:donations`. */
export function requireUsualScopes(service: Namespace): Finding[] {
  const others = scopeMembers(service).filter(({ value }) => !/^[a-z]+:[a-z]+$/.test(String(value)));
  return others.map((target) => ({
    target,
    message: `The scope ${target.name} is ${target.value === undefined ? "without a value" : `"${target.value}"`}: write a verb and what it is about, such as ${target.name}: "read:donations".`,
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
