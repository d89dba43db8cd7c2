// A collector of traces, for tests: takes what the exporter sends by OTLP over HTTP in JSON.

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export type CollectedSpan = Readonly<{
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  links: readonly { traceId: string; spanId: string }[];
  attributes: Readonly<Record<string, unknown>>;
  resource: Readonly<Record<string, unknown>>;
  ms: number;
  isError: boolean;
}>;

export type Collector = Awaited<ReturnType<typeof openCollector>>;

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; arrayValue?: unknown };
type Attributes = readonly { key: string; value: Value }[];
type Sent = {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: {
      spans: (Omit<CollectedSpan, "attributes" | "links"> & {
        attributes: Attributes;
        links?: CollectedSpan["links"];
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        status?: { code?: number };
      })[];
    }[];
  }[];
};

export async function openCollector() {
  const spans: CollectedSpan[] = [];
  const requests: { path: string | undefined; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url, headers: request.headers });
    for (const { resource, scopeSpans } of ((await json(request)) as Sent).resourceSpans)
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push(read(span, resource.attributes));
    response.setHeader("Content-Type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function read(span: Sent["resourceSpans"][0]["scopeSpans"][0]["spans"][0], resource: Attributes): CollectedSpan {
  const { name, kind, traceId, spanId, parentSpanId, links = [], attributes, status, startTimeUnixNano, endTimeUnixNano } = span;
  const ms = Number((BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1_000_000n);
  return {
    ...{ name, kind, traceId, spanId, parentSpanId: parentSpanId || undefined, links, ms },
    attributes: valuesOf(attributes),
    resource: valuesOf(resource),
    isError: status?.code === 2,
  };
}

function valuesOf(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
