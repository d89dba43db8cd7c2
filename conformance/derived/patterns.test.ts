import { derivedRule } from "../suite/derive/rule.ts";

derivedRule("a text of the documented form is accepted, and with one thing changed it is refused with invalid_format", ["pattern"]);
