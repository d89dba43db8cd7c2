// /llms.txt: the documentation for language models, as llmstxt.org describes it.

import type { Guide } from "./guides.ts";
import { plainText } from "./markdown.ts";
import type { Document } from "./published-contract.ts";

export function llmsText({ info }: Document, guides: readonly Guide[], baseUrl: string): string {
  const [summary = "", ...notes] = info.description.split("\n\n");
  const link = ({ slug, title, description }: Guide) => `- [${title}](${baseUrl}/docs/${slug}.md): ${plainText(description)}`;
  return `# ${info.title}

> ${summary.replaceAll("\n", " ")}

${notes.join("\n\n")}

## Guides

${guides.map(link).join("\n")}

## Reference

- [OpenAPI 3.1 document](${baseUrl}/docs/openapi.json): every operation with its parameters, bodies, answers and scopes
- [OpenAPI 3.2 document](${baseUrl}/docs/openapi-3.2.json): the same, with the items of streams
- [AsyncAPI 3.0 document](${baseUrl}/docs/asyncapi.json): the events as a stream and over a WebSocket
- [TypeScript client](${baseUrl}/docs/donations-client.ts): one file with typed requests, events and the verification of webhooks
`;
}
