import { derivedRule } from "../suite/models/derive/rule.ts";

derivedRule(
  "a text is counted in Unicode code points: the shortest and the longest are accepted, one code point less or more is refused with too_short or too_long",
  ["minLength", "maxLength"],
);
