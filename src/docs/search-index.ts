// What a search of the documentation finds: sections of guides, operations, errors, and members of schemas.

import type { Guide, Guides } from "./guides.ts";
import { plainText, type Section, sectionsOf } from "./markdown.ts";
import type { Place } from "./page/find.js";
import { type Document, operationsOf } from "./published-contract.ts";

/** The places in the order in which they stand when they are found equally well. Each is made when it is taken, because all of them take long. */
export function* placesOf(document: Document, guides: Guides): Generator<Place> {
  yield* operationPlaces(document);
  yield* errorPlaces(document);
  for (const place of guides.en.keys()) yield* guidePlaces(document, guides, place);
  yield* memberPlaces(document);
}

/** Each section of the guide; an error is found by its own place. The changelog is not searched. */
function guidePlaces({ "x-problems": problems }: Document, { en, th }: Guides, place: number): Place[] {
  const guide = en[place] as Guide;
  if (guide.slug === "changelog") return [];
  const translation = th[place] === guide ? null : translated(th[place] as Guide);
  return sectionsOf(guide.markdown).flatMap(({ id, title, text }, number): Place[] => {
    if (guide.slug === "errors" && Object.hasOwn(problems, id)) return [];
    const page = guide.slug === "index" ? "." : guide.slug;
    const href = number === 0 ? page : `${page}#${id}`;
    return [
      {
        kind: "guide",
        href,
        title,
        within: number === 0 ? "" : guide.title,
        text,
        ...(translation && { th: translation[number] as NonNullable<Place["th"]> }),
      },
    ];
  });
}

function translated(guide: Guide): Place["th"][] {
  return sectionsOf(guide.markdown).map(({ title, text }: Section, number) => ({ title, within: number === 0 ? "" : guide.title, text }));
}

function operationPlaces(document: Document): Place[] {
  return operationsOf(document).map(({ operationId, method, path, tags: [tag = ""], summary, description = "" }) => ({
    kind: "operation",
    href: `reference#tag/${tag.toLowerCase().replaceAll(" ", "-")}/${method}${path}`,
    title: operationId,
    within: `${method} ${path}`,
    text: plainText(`${summary}. ${description}`),
  }));
}

function errorPlaces({ "x-problems": problems }: Document): Place[] {
  return Object.entries(problems).map(([code, { status, title, when, remedy }]) => ({
    kind: "error",
    href: `errors#${code}`,
    title: code,
    within: `${status} ${title}`,
    text: plainText(`${when} ${remedy}`),
  }));
}

type WithMembers = { properties?: Record<string, { description?: string }> };

/** Members that have a description. Those of problems are the same for each error. */
function* memberPlaces({ components: { schemas } }: Document): Generator<Place> {
  for (const [schema, { properties = {} }] of Object.entries(schemas as Record<string, WithMembers>)) {
    if (schema.endsWith("Problem")) continue;
    for (const [name, { description }] of Object.entries(properties))
      if (description)
        yield { kind: "member", href: `reference#models/${schema}`, title: name, within: schema, text: plainText(description) };
  }
}
