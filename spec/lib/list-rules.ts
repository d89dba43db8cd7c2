// Rules for lists, and for the doc comments and names of members.

import {
  type Enum,
  getDoc,
  getMaxItems,
  type Model,
  type ModelProperty,
  type Namespace,
  type Program,
  type Type,
} from "@typespec/compiler";
import type { HttpOperation } from "@typespec/http";
import { problemWordsOf, speaksOAuth } from "./decorators.ts";
import { modelsIn, valuesOf } from "./models.ts";
import type { Finding } from "./type-rules.ts";

/** A list of choices has room for all of them, also after the enum has got another one. */
export function requireRoomForChoices(program: Program, { parameters }: HttpOperation): Finding[] {
  const body = parameters.body ? modelsIn(parameters.body.type).flatMap(({ properties }) => [...properties.values()]) : [];
  const members = [...parameters.properties.map(({ property }) => property), ...body];
  return members.flatMap((member) => {
    const { type } = member;
    if (type.kind !== "Model" || type.indexer?.value.kind !== "Enum") return [];
    return tooShort(program, { list: type, member, choices: type.indexer.value });
  });
}

type Choices = { list: Model; member: ModelProperty; choices: Enum };

function tooShort(program: Program, { list, member, choices }: Choices): Finding[] {
  const room = getMaxItems(program, list) ?? getMaxItems(program, member);
  if (room === undefined || room >= choices.members.size) return [];
  const [target, name] = list.name === "Array" ? [member, member.name] : [list, list.name];
  return [
    {
      target,
      message: `${name} has at most ${room} items, and ${choices.name} has ${choices.members.size} members, which clients may send together: write @maxItems(${choices.members.size}).`,
    },
  ];
}

/** Every parameter and every member of a body has a doc comment, unless its type has one: the reference page shows it. */
export function requireDescribedMembers(program: Program, operation: HttpOperation): Finding[] {
  const silent = membersOf(operation).filter((member) => !isDescribed(program, member));
  return silent.map((member) => {
    const target = writtenBy(member);
    const name = target.kind === "Model" ? target.name : placeOf(member, operation);
    return { target, message: `${name} has no doc comment: describe above it what it means: /** … */.` };
  });
}

/** Where one choice of an enum has a doc comment, all have: the reference page lists them. */
export function requireDescribedChoices(program: Program, { enums }: Namespace): Finding[] {
  return [...enums.values()].flatMap(({ name, members }) => {
    const silent = [...members.values()].filter((one) => !getDoc(program, one) && !problemWordsOf(program, one));
    if (silent.length === members.size) return [];
    return silent.map((target) => ({
      target,
      message: `${name}.${target.name} has no doc comment, as the others of ${name} have: describe above it what it means: /** … */.`,
    }));
  });
}

/** Parameters and members of bodies are written as those of the interface are, such as `createdAt`. Those of OAuth are as its RFCs have them. */
export function requireCamelCase(program: Program, operation: HttpOperation): Finding[] {
  if (speaksOAuth(program, operation.operation)) return [];
  const others = membersOf(operation).filter(({ name }) => !/^[a-z][A-Za-z0-9]*$/.test(name));
  return others.map((target) => ({
    target,
    message: `${placeOf(target, operation)} is not in camelCase, as all parameters and members are: write ${camelCase(target.name)}.`,
  }));
}

const camelCase = (name: string): string =>
  name.replace(/^[A-Z]/, (letter) => letter.toLowerCase()).replace(/[^A-Za-z0-9]+(.?)/g, (_, letter: string) => letter.toUpperCase());

/** Parameters of query and path, and members of bodies. */
function membersOf({ parameters, responses }: HttpOperation): ModelProperty[] {
  const answers = responses.flatMap((response) => response.responses.flatMap(({ body }) => (body ? [body.type] : [])));
  const bodies = [...(parameters.body ? [parameters.body.type] : []), ...answers];
  const inBodies = bodies.flatMap((body) => modelsIn(body)).flatMap(({ properties }) => [...properties.values()]);
  return [...parameters.properties.flatMap(({ kind, property }) => (kind === "query" || kind === "path" ? [property] : [])), ...inBodies];
}

const placeOf = ({ model, name }: ModelProperty, { operation }: HttpOperation): string => `${model?.name || operation.name}.${name}`;

/** The member of a template (`Envelope<Donation>`) is described by its type, which is what the designer has written. */
function writtenBy(member: ModelProperty): Model | ModelProperty {
  const [type] = valuesOf(member.type);
  return member.model?.templateMapper && type?.kind === "Model" ? type : member;
}

/** A literal says what it is, and a model that is written in place is described by its members. */
function isDescribed(program: Program, member: ModelProperty): boolean {
  const literals = ["String", "Number", "Boolean"];
  const isPlain = (type: Type) => literals.includes(type.kind) || (type.kind === "Model" && type.name === "");
  return [member, ...valuesOf(member.type)].some((type) => isPlain(type) || isDocumented(program, type));
}

/** The compiler's own types have doc comments that say nothing of the member. */
function isDocumented(program: Program, type: Type): boolean {
  const isBuiltIn = (type.kind === "Scalar" || type.kind === "Model") && type.namespace?.name === "TypeSpec";
  return !isBuiltIn && getDoc(program, type) !== undefined;
}
