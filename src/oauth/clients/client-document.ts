// Reads client documents (draft-ietf-oauth-client-id-metadata-document-02): the client_id is the https address of a JSON document that
// describes the client, so that a client which nobody registered here can ask a streamer for access.

import { storable } from "../../http/body/body.ts";
import type { Scope } from "../../http/operations.ts";
import type { ClientFacts } from "./clients.ts";
import { requireRedirectUri } from "./redirect-uris.ts";

const maxAddressLength = 500;
const maxNameLength = 100;
const maxRedirectUris = 20;

/** Whether a client_id is the address of a document, valid or not. Ids that this server creates have no colon. */
export function isDocumentAddress(clientId: string): boolean {
  return /^https:\/\//i.test(clientId);
}

/** Throws an Error that says what is wrong with the address (section 3 of the draft). */
export function readAddress(clientId: string): URL {
  const url = URL.parse(clientId);
  if (!url || url.href !== clientId || clientId.length > maxAddressLength)
    throw new Error(`its address must be a normalized https URL of at most ${maxAddressLength} characters`);
  if (url.protocol !== "https:" || url.username || url.password || url.pathname === "/" || clientId.includes("#"))
    throw new Error("its address must be an https URL with a path, and without user name, password or fragment");
  return url;
}

/** The client that the document describes. Throws an Error that names the broken rule (section 4 of the draft). */
export function readDocument(address: URL, text: string, known: readonly Scope[]): ClientFacts {
  const document = parse(text);
  if (document.client_id !== address.href) throw new Error("client_id must be the document's own address");
  if ("client_secret" in document) throw new Error("it must not hold a secret");
  if ((document.token_endpoint_auth_method ?? "none") !== "none") throw new Error("token_endpoint_auth_method must be none");
  requireValue(document, "grant_types", "authorization_code");
  requireValue(document, "response_types", "code");
  return {
    id: address.href,
    // The host comes first, because it was verified and the name was not.
    name: `${address.host} · ${readName(document)}`,
    public: true,
    redirectUris: readRedirectUris(document),
    scopes: readScopes(document, known),
    registeredBy: null,
  };
}

type Document = Readonly<Record<string, unknown>>;

function parse(text: string): Document {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Document;
  } catch (cause) {
    throw new Error("it is not JSON", { cause });
  }
  throw new Error("it is not a JSON object");
}

/** A member that is left out means what this server does in any case. */
function requireValue(document: Document, member: string, value: string): void {
  const values = document[member];
  if (values !== undefined && !(Array.isArray(values) && values.includes(value))) throw new Error(`${member} must include ${value}`);
}

function readName({ client_name: name }: Document): string {
  if (typeof name !== "string" || name.trim() === "") throw new Error("client_name is missing");
  return [...storable(name.trim())].slice(0, maxNameLength).join("");
}

function readRedirectUris({ redirect_uris: uris }: Document): string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > maxRedirectUris)
    throw new Error(`redirect_uris must be a list of 1 to ${maxRedirectUris}`);
  for (const uri of uris) {
    if (typeof uri !== "string") throw new Error("redirect_uris must be strings");
    requireRedirectUri(uri, { public: true });
  }
  return uris;
}

/** The scopes of this server that the document names; all scopes when it has no member `scope`. */
function readScopes({ scope }: Document, known: readonly Scope[]): Scope[] {
  if (typeof scope !== "string") return [...known];
  const named = scope.split(" ");
  const scopes = known.filter((one) => named.includes(one));
  if (scopes.length === 0) throw new Error(`scope must name some of: ${known.join(" ")}`);
  return scopes;
}
