import { derivedRule } from "../suite/models/derive/rule.ts";

derivedRule("a value of the right JSON type is accepted; any other type, null included, is refused with invalid_type: nothing is coerced", [
  "type",
  "format",
]);
