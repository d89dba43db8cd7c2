import { derivedRule } from "../suite/models/derive/rule.ts";

derivedRule("a parameter that the contract does not name, or one sent twice, is refused and named", [
  "unknownParameter",
  "repeatedParameter",
]);
