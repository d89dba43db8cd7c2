// Both sides of every bound, choice and type that the contract states, in every operation.

import { derivedRules } from "../suite/models/derive/rule.ts";

derivedRules([
  {
    title: "a number is accepted up to its bound, and its neighbour beyond is refused with out_of_range",
    keywords: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  },
  { title: "each documented choice is accepted, and anything similar is refused with invalid_enum", keywords: ["enum"] },
  {
    title:
      "a text is counted in Unicode code points: the shortest and the longest are accepted, one code point less or more is refused with too_short or too_long",
    keywords: ["minLength", "maxLength"],
  },
  {
    title: "a list is accepted up to its bounds; one item more is refused with too_many_items, a repeated item with not_unique",
    keywords: ["minItems", "maxItems", "uniqueItems"],
  },
  {
    title: "a text of the documented form is accepted, and with one thing changed it is refused with invalid_format",
    keywords: ["pattern"],
  },
  { title: "a required member or parameter must be sent, any other may be left out", keywords: ["required"] },
  {
    title: "a member that the contract does not name is refused and named: request bodies are sealed",
    keywords: ["additionalProperties"],
  },
  {
    title: "a value of the right JSON type is accepted; any other type, null included, is refused with invalid_type: nothing is coerced",
    keywords: ["type", "format"],
  },
  {
    title: "a parameter that the contract does not name, or one sent twice, is refused and named",
    keywords: ["unknownParameter", "repeatedParameter"],
  },
]);
