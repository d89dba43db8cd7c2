import { derivedRule } from "../harness/derive/rule.ts";

derivedRule("each documented choice is taken, and anything like it invalid_enum", ["enum"]);
