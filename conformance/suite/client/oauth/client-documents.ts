// A site over TLS that serves client documents.

import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";

/** A site with client documents and a certificate of its own, which a server must be configured to trust. */
export type DocumentSite = {
  /** Base URL of the site: `https://localhost:<port>`. */
  url: string;
  /** Its certificate, for NODE_EXTRA_CA_CERTS. */
  certificate: string;
  /** Number of requests by path. */
  calls: Map<string, number>;
  /** Serves this at the path from now on; returns its address. */
  put: (path: string, content: object | Serve) => string;
  close: () => void;
};

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** Null without the program openssl: rules that need it are skipped then; in CI this throws instead. */
export async function openDocumentSite(): Promise<DocumentSite | null> {
  if (!hasOpenssl && process.env.CI) throw new Error("not run: there is no openssl (apt-get install openssl)");
  if (!hasOpenssl) return null;
  const folder = mkdtempSync(join(tmpdir(), "namjai-client-documents-"));
  const { key, certificate } = makeCertificate(folder);
  const pages = new Map<string, Serve>();
  const calls = new Map<string, number>();
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    const path = request.url ?? "/";
    calls.set(path, (calls.get(path) ?? 0) + 1);
    const serve = pages.get(path);
    if (serve) serve(request, response);
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    certificate,
    calls,
    put: (path, content) => {
      pages.set(path, typeof content === "function" ? (content as Serve) : asJson({ client_id: `${url}${path}`, ...content }));
      return `${url}${path}`;
    },
    close: () => {
      server.close().closeAllConnections();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The test's site; skips the test with a reason where there is none. */
export const siteOf = (context: TestContext, site: DocumentSite | null): DocumentSite =>
  site ?? context.skip("not run: there is no openssl, or the server is someone else's");

const asJson =
  (document: object): Serve =>
  (_, response) =>
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(document));

function makeCertificate(folder: string): { key: string; certificate: string } {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", ...kind, ...name, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  return { key, certificate };
}
