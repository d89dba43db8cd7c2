import { derivedRule } from "../harness/derive/rule.ts";

derivedRule("a list is taken up to its bounds, and one item more is too_many_items, an item twice not_unique", [
  "minItems",
  "maxItems",
  "uniqueItems",
]);
