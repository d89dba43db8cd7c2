import { derivedRule } from "../suite/models/derive/rule.ts";

derivedRule("a member that the contract does not name is refused and named: request bodies are sealed", ["additionalProperties"]);
