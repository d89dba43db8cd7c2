// Names and messages that are code or markup to a program that displays them. `make browser` checks how pages display such texts.

import type { Attack } from "../attack.ts";

const texts = [
  "<script>alert(1)</script>",
  "</script><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "javascript:alert(1)",
  "{{7*7}}",
  "$\u007b7*7}",
  "#{7*7}",
  "<%= 7*7 %>",
  "'; drop table donations; --",
  "' or '1'='1",
  "=1+1",
  "+1+1",
  "@SUM(A1)",
  "-1+1|cmd",
  "../../etc/passwd",
  "%00%0a%0d",
  "a\r\nSet-Cookie: a=b",
  "\u0000",
  "\u202egnp.exe",
  "\ufeff",
  "\ud800",
  "\u200b\u200d",
  "\u2028\u2029",
  "ก้้้้้้้้้้้้้้้้้้้้",
  "𝕊𝕦𝕡𝕖𝕣",
  "👨‍👩‍👧‍👦",
  "__proto__",
  "constructor",
  "null",
  "undefined",
  "NaN",
  "]]>",
];

export const hostileTexts: readonly Attack[] = [
  {
    rule: "texts that are HTML, script, SQL or a formula are returned as they were sent, as JSON with X-Content-Type-Options: nosniff",
    run: async ({ url, keys }) => {
      const headers = { Authorization: `Bearer ${keys.regularClient}`, "Content-Type": "application/json" };
      for (const text of texts) {
        const body = JSON.stringify({ donatorName: text, message: text, identifier: text, amount: 1, skipAlert: true });
        const answer = await fetch(`${url}/api/v1/donations`, { method: "POST", headers, body });
        const { data } = (await answer.json()) as { data: { donatorName: string; message: string } };
        const stored = text.toWellFormed().replaceAll("\0", "\ufffd");
        if (answer.status !== 201 || data.donatorName !== stored || data.message !== stored)
          throw new Error(`${JSON.stringify(text)}: ${answer.status}`);
        if (
          !answer.headers.get("content-type")?.startsWith("application/json") ||
          answer.headers.get("x-content-type-options") !== "nosniff"
        )
          throw new Error(`${answer.headers.get("content-type")} of ${JSON.stringify(text)}`);
      }
      return `${texts.length} texts`;
    },
  },
];
