// Says where the operations of the contract and their members are written. The conformance suite anchors its results there.

import { getSourceLocation, type Model, type ModelProperty, type Operation, type Program, type Type } from "@typespec/compiler";
import { getAllHttpServices, type HttpOperation } from "@typespec/http";
import { isWebhook } from "./decorators.ts";
import { sourceOf } from "./models.ts";

/** `at`: file and line of the operation, such as `spec/donations.tsp:120`. `members`: those of its body and parameters, by name. */
type OperationLocation = { at: string; members: Record<string, string> };

/** Returns the locations of what clients can call, by the name of the operation, in alphabetical order. */
export function locationsOf(program: Program): Record<string, OperationLocation> {
  const operations = getAllHttpServices(program)[0].flatMap((service) => service.operations);
  const served = operations.filter(({ operation }) => !isWebhook(program, operation));
  const found = served.map((one): [string, OperationLocation] => [one.operation.name, locationOf(program, one)]);
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function locationOf(program: Program, { operation, parameters }: HttpOperation): OperationLocation {
  const body = parameters.body?.type;
  const named: ModelProperty[] = [...parameters.parameters.map(({ param }) => param), ...(body ? propertiesOf(body) : [])];
  return {
    at: lineOf(program, operation),
    members: Object.fromEntries(named.map((member) => [member.name, lineOf(program, sourceOf(member))])),
  };
}

function propertiesOf(type: Type): ModelProperty[] {
  if (type.kind === "Union") return [...type.variants.values()].flatMap((variant) => propertiesOf(variant.type));
  return type.kind === "Model" ? allProperties(type) : [];
}

const allProperties = (model: Model): ModelProperty[] => [
  ...(model.baseModel ? allProperties(model.baseModel) : []),
  ...model.properties.values(),
];

/** File and line of the name: doc comments and decorators stand above it. */
function lineOf(program: Program, type: ModelProperty | Operation): string {
  const node = type.node && "id" in type.node ? type.node.id : type.node;
  if (!node) throw new Error(`${type.name} has no place in spec/`);
  const { file, pos } = getSourceLocation(node);
  const path = file.path.slice(program.projectRoot.length).replace(/^\//, "");
  return `${path}:${file.getLineAndCharacterOfPosition(pos).line + 1}`;
}
