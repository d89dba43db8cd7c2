// Both sides of every bound, choice and type that the contract states, in every operation.

import { derivedRule } from "../suite/models/derive/rule.ts";

derivedRule("a number is accepted up to its bound, and its neighbour beyond is refused with out_of_range", [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
]);

derivedRule("each documented choice is accepted, and anything similar is refused with invalid_enum", ["enum"]);

derivedRule(
  "a text is counted in Unicode code points: the shortest and the longest are accepted, one code point less or more is refused with too_short or too_long",
  ["minLength", "maxLength"],
);

derivedRule("a list is accepted up to its bounds; one item more is refused with too_many_items, a repeated item with not_unique", [
  "minItems",
  "maxItems",
  "uniqueItems",
]);

derivedRule("a text of the documented form is accepted, and with one thing changed it is refused with invalid_format", ["pattern"]);

derivedRule("a required member or parameter must be sent, any other may be left out", ["required"]);

derivedRule("a member that the contract does not name is refused and named: request bodies are sealed", ["additionalProperties"]);

derivedRule("a value of the right JSON type is accepted; any other type, null included, is refused with invalid_type: nothing is coerced", [
  "type",
  "format",
]);

derivedRule("a parameter that the contract does not name, or one sent twice, is refused and named", [
  "unknownParameter",
  "repeatedParameter",
]);
