import { derivedRule } from "../suite/models/derive/rule.ts";

derivedRule("a text of the documented form is accepted, and with one thing changed it is refused with invalid_format", ["pattern"]);
