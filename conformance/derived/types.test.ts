import { derivedRule } from "../harness/derive/rule.ts";

derivedRule("a value of the right JSON type is taken, of any other, null among them, invalid_type: nothing is coerced", ["type", "format"]);
