import { derivedRule } from "../suite/models/derive/rule.ts";

derivedRule("a required member or parameter must be sent, any other may be left out", ["required"]);
