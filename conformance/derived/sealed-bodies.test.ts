import { derivedRule } from "../suite/derive/rule.ts";

derivedRule("a member that the contract does not name is refused and named: request bodies are sealed", ["additionalProperties"]);
