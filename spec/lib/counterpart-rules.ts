// Rules for declarations that need another one elsewhere in the contract.

import type { Namespace, Program, Type } from "@typespec/compiler";
import type { HttpOperation, HttpService } from "@typespec/http";
import { valuesOf } from "./models.ts";
import type { Finding } from "./type-rules.ts";

/** What createDonation takes is always answered: a member of ExternalDonation is a member of Donation, too, and null when it is not set. */
export function requireAnsweredMembers(_: Program, { models }: Namespace): Finding[] {
  const [sent, answered] = [models.get("ExternalDonation"), models.get("Donation")];
  if (!sent || !answered) return [];
  const lost = [...sent.properties.values()].filter(({ name }) => !answered.properties.has(name));
  const optional = [...answered.properties.values()].filter((member) => member.optional);
  return [
    ...lost.map((target) => ({
      target,
      message: `${target.name} is a member of ExternalDonation that Donation lacks, so that no client can read it back: add it to Donation in spec/donations.tsp, and to its example.`,
    })),
    ...optional.map((target) => ({
      target,
      message: `${target.name} is optional in Donation, whose unset members are null and never absent: write ${target.name}: … | null, and add it to the example.`,
    })),
  ];
}

/** Every type of event is named `goal.reached` and the like, and has a model in the union Event: documents of events are made from it. */
export function requireEventModels(_: Program, { enums, unions }: Namespace): Finding[] {
  const event = unions.get("Event");
  const described = (event ? valuesOf(event) : []).flatMap(typesOfEvent);
  const types = [...(enums.get("EventType")?.members.values() ?? [])];
  const silent = types.filter((member) => !described.includes(member));
  return [
    ...types
      .filter(({ name }) => !/^[a-z]+\.[a-z_]+$/.test(name))
      .map((target) => ({
        target,
        message: `The type of event ${target.name} is not written as others are: write what it is about and what happened, such as \`goal.reached\`.`,
      })),
    ...silent.map((target) => ({
      target,
      message: `The type of event ${target.name} has no model in the union Event: add it to the types of a model there (spec/events.tsp), or add a model.`,
    })),
  ];
}

function typesOfEvent(model: Type): Type[] {
  const type = model.kind === "Model" ? model.properties.get("type")?.type : undefined;
  return type ? valuesOf(type).flatMap((one) => (one.kind === "Enum" ? [...one.members.values()] : [one])) : [];
}

/** What was created and can be read has an address, which its answer names (RFC 9110 10.2.2): Location. */
export function requireLocations(_: Program, { operations }: HttpService): Finding[] {
  const isReadable = (path: string) => operations.some(({ verb, path: other }) => verb === "get" && /^\/\{\w+\}$/.test(after(path, other)));
  const silent = operations.filter(({ path, responses }) => isReadable(path) && responses.some(isCreatedWithoutLocation));
  return silent.map(({ operation, path }) => ({
    target: operation,
    message: `${operation.name} creates what GET ${path}/{…} reads, and its answer does not say where that is: answer Created<…, "description">, or a model with status 201 and @header("Location").`,
  }));
}

/** What follows the path in a longer one; else "". */
const after = (path: string, longer: string): string => (longer.startsWith(path) ? longer.slice(path.length) : "");

function isCreatedWithoutLocation({ statusCodes, responses }: HttpOperation["responses"][number]): boolean {
  return statusCodes === 201 && !responses.some(({ headers = {} }) => "Location" in headers);
}

/** A body that names another resource by its id can name one that does not exist, which has a code. */
export function requireReferenceCodes(_: Program, { operation, parameters, responses }: HttpOperation): Finding[] {
  const body = parameters.body?.type;
  const members = body?.kind === "Model" ? [...body.properties.values()] : [];
  const codes = responses.flatMap((response) => response.responses.flatMap((one) => codesOf(one.body?.type)));
  const unchecked = members.filter(({ name, type }) => isReference(name, type) && !codesFor(name).some((code) => codes.includes(code)));
  return unchecked.map((target) => ({
    target,
    message: `${operation.name} takes ${target.name}, and has no code for the id of nothing: answer a Refusal with the code ${codesFor(target.name).join(" or ")} (spec/errors.tsp).`,
  }));
}

function isReference(name: string, type: Type): boolean {
  return /.Id$/.test(name) && valuesOf(type).some((one) => one.kind === "Scalar" && one.name === "id");
}

/** The codes for an unknown `webhookId`: `unknown_webhook` (422), or `webhook_not_found` (404) where the resource is what the request is about. */
function codesFor(member: string): string[] {
  const noun = member.replace(/Id$/, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [`unknown_${noun}`, `${noun}_not_found`];
}

function codesOf(body: Type | undefined): string[] {
  const code = body?.kind === "Model" ? body.properties.get("code")?.type : undefined;
  return code ? valuesOf(code).flatMap((one) => (one.kind === "EnumMember" ? [one.name] : [])) : [];
}
