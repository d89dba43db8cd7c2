// An application at an address of its own, with the login that a provider makes. `/` says who is logged in, and what the token opens.

import { createServer, type RequestListener } from "node:http";

const { PORT = "", API_URL = "" } = process.env;

/** The application's address; it is registered with `${origin}${path of the library}`. */
export const origin = `http://127.0.0.1:${PORT}`;

export function serve(listener: RequestListener): void {
  createServer(listener).listen(Number(PORT), "127.0.0.1");
}

/** Serves what takes and makes the requests and answers of the web. */
export function serveWeb(handle: (request: Request) => Promise<Response>): void {
  serve(async (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const hasBody = request.method === "POST";
    const init = { method: request.method, headers, ...(hasBody && { body: request, duplex: "half" }) } as unknown as RequestInit;
    const reply = await handle(new Request(`${origin}${request.url}`, init));
    response.writeHead(reply.status, [...reply.headers].flat());
    response.end(Buffer.from(await reply.arrayBuffer()));
  });
}

/** What `/` answers: the account that the library knows, and the streamer's name by the API. */
export async function whoIs(account: { id: unknown; name: unknown }, accessToken: unknown): Promise<string> {
  const reply = await fetch(`${API_URL}/api/v1/donations?limit=1`, { headers: { Authorization: `Bearer ${accessToken}` } });
  return JSON.stringify({ id: account.id, name: account.name, api: reply.status });
}
