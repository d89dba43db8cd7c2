import { derivedRule } from "../suite/models/derive/rule.ts";

derivedRule("a number is accepted up to its bound, and its neighbour beyond is refused with out_of_range", [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
]);
