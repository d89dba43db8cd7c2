// Rules for lists, and for the doc comments and names of members.

import {
  type Enum,
  type EnumMember,
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
import { modelsIn, sourceOf, valuesOf } from "./models.ts";
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

/** Every enum, union and scalar has a doc comment: the reference page shows it beside each member of that type. */
export function requireDescribedTypes(program: Program, { enums, unions, scalars }: Namespace): Finding[] {
  const types = [...enums.values(), ...unions.values(), ...scalars.values()];
  return types
    .filter((type) => !getDoc(program, type))
    .map((target) => ({ target, message: `${target.name} has no doc comment: describe above it what it means: /** … */.` }));
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

/** The values of an enum differ: a schema with the same value twice is invalid (JSON Schema 6.1.2). */
export function requireDistinctChoices(_: Program, { enums }: Namespace): Finding[] {
  return [...enums.values()].flatMap(({ name, members }) => {
    const all = [...members.values()];
    const valueIn = (one: EnumMember) => one.value ?? one.name;
    const repeated = all.filter((one, place) => all.findIndex((other) => valueIn(other) === valueIn(one)) < place);
    return repeated.map((target) => ({
      target,
      message: `${name}.${target.name} has the value "${valueIn(target)}", as another member of ${name} has: write another one.`,
    }));
  });
}

/** A parameter is a text, a number, a boolean, a choice or a list of these; a list is sent by repeating it, as `channel=card&channel=other`. */
export function requirePlainParameters(_: Program, { operation, parameters }: HttpOperation): Finding[] {
  return parameters.properties.flatMap((one) => {
    const place = `${operation.name}.${one.property.name}`;
    if (isParameter(one.kind) && valuesOf(one.property.type).some(({ kind }) => kind === "Model"))
      return [
        {
          target: one.property,
          message: `${place} is an object, which a parameter can't be: make its members parameters, or the body of a POST.`,
        },
      ];
    const { property } = one;
    const isList = property.type.kind === "Model" && property.type.indexer !== undefined;
    if (one.kind === "cookie")
      return [{ target: property, message: `${place} is a cookie, which the server does not read: make it @query.` }];
    if (one.kind === "path" && (property.optional || isList))
      return [{ target: property, message: `${place} is a parameter of the path, which is one value and never absent: make it @query.` }];
    if (one.kind !== "query" || !isList || one.options.explode) return [];
    return [
      { target: one.property, message: `${place} is a list, and clients repeat the parameter for it: write @query(#{ explode: true }).` },
    ];
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

/** Parameters, members of bodies, and headers of answers. */
function membersOf({ parameters, responses }: HttpOperation): ModelProperty[] {
  const contents = responses.flatMap((response) => response.responses);
  const answers = contents.flatMap(({ body }) => (body ? [body.type] : []));
  const headers = contents.flatMap((content) => Object.values(content.headers ?? {}));
  const bodies = [...(parameters.body ? [parameters.body.type] : []), ...answers];
  const inBodies = bodies.flatMap((body) => modelsIn(body)).flatMap(({ properties }) => [...properties.values()]);
  const sent = parameters.properties.flatMap(({ kind, property }) => (isParameter(kind) ? [property] : []));
  return [...sent, ...headers, ...inBodies];
}

const isParameter = (kind: string): boolean => kind === "query" || kind === "path" || kind === "header";

/** Where the member is written, so that a mistake in a member of several models is reported once. */
const placeOf = (member: ModelProperty, { operation }: HttpOperation): string =>
  `${sourceOf(member).model?.name || operation.name}.${member.name}`;

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
