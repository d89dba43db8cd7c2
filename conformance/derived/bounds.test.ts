import { derivedRule } from "../harness/derive/rule.ts";

derivedRule("a number is taken up to its bound, and its neighbour beyond is out_of_range", [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
]);
