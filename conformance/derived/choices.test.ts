import { derivedRule } from "../suite/models/derive/rule.ts";

derivedRule("each documented choice is accepted, and anything similar is refused with invalid_enum", ["enum"]);
