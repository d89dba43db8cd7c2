// What the operations refuse of an endpoint beside its schema, as faults of its members: for a form, which names all of them at once.

import type { Scope } from "../../../http/operations.ts";
import type { Fault } from "../../../http/problem.ts";
import { type EventType, scopeOfType } from "../../event.ts";
import { faultOf, type WebhookRules } from "../request/address.ts";

/** `scopes`: of the credentials that the endpoint's application has. The members of `body` may have any value. */
export function findRefusals(rules: WebhookRules, scopes: readonly Scope[], { url, types }: Readonly<Record<string, unknown>>): Fault[] {
  const address = typeof url === "string" && url !== "" ? faultOf(url, rules) : null;
  const lacksScope = Array.isArray(types) && types.some((type) => !scopes.includes(scopeOfType(type as EventType)));
  return [
    ...(address === null ? [] : [{ pointer: "/url", code: "invalid_format" as const, message: address.replace(/\.$/, "") }]),
    ...(lacksScope ? [{ pointer: "/types", code: "invalid_enum" as const, message: "must be types that the scopes allow" }] : []),
  ];
}
