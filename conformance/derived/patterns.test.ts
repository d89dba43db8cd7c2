import { derivedRule } from "../harness/derive/rule.ts";

derivedRule("a text of the documented form is taken, and with one thing changed it is invalid_format", ["pattern"]);
