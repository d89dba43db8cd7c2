import { derivedRule } from "../harness/derive/rule.ts";

derivedRule("what is required must be there, and what is not may be left out", ["required"]);
