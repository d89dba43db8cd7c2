// A browser without JavaScript for rehearsals: cookies, redirects, and forms with their hidden fields.

/** `location`: where the server sends the browser outside of itself. */
export type Page = Readonly<{ status: number; text: string; location: URL | null }>;

export type Visitor = {
  visit: (path: string) => Promise<Page>;
  /** Submits the form of the page that is sent to `action`. */
  submit: (page: Page, action: string, values: Record<string, string>) => Promise<Page>;
};

export function openVisitor(url: string): Visitor {
  const cookies = new Map<string, string>();
  const open = async (path: string, init: RequestInit = {}): Promise<Page> => {
    const headers = { ...(init.headers as object), Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    const answer = await fetch(new URL(path, url), { ...init, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=;]*)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const [text, place] = [await answer.text(), answer.headers.get("location")];
    const location = place === null ? null : new URL(place, url);
    if (location?.origin === new URL(url).origin) return open(location.pathname + location.search);
    return { status: answer.status, text, location };
  };
  return {
    visit: open,
    submit: ({ text }, action, values) => {
      const body = new URLSearchParams({ ...hiddenFields(text, action), ...values });
      return open(action, { method: "POST", body, headers: { Origin: new URL(url).origin } });
    },
  };
}

function hiddenFields(text: string, action: string): Record<string, string> {
  const form = [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].find(([, head = ""]) => attribute(head, "action") === action);
  if (!form) throw new Error(`no form to ${action} in: ${text.slice(0, 500)}`);
  const inputs = [...(form[2] ?? "").matchAll(/<input\b([^>]*)>/gi)].map(([, input = ""]) => input);
  return Object.fromEntries(inputs.map((input) => [attribute(input, "name"), attribute(input, "value")]));
}

const attribute = (tag: string, name: string): string =>
  (new RegExp(`\\b${name}="([^"]*)"`, "i").exec(tag)?.[1] ?? "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
