import { derivedRule } from "../suite/derive/rule.ts";

derivedRule("a required member or parameter must be sent, any other may be left out", ["required"]);
