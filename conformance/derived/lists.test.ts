import { derivedRule } from "../suite/models/derive/rule.ts";

derivedRule("a list is accepted up to its bounds; one item more is refused with too_many_items, a repeated item with not_unique", [
  "minItems",
  "maxItems",
  "uniqueItems",
]);
