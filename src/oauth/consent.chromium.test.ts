import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Application, startApplication } from "../../conformance/meta/browser/application.ts";
import { desktop, openTab, phone, sendForm, type Tab, takeScreenshot } from "../../conformance/meta/browser/chromium.ts";
import { expectUsableLayout } from "../../conformance/meta/browser/page-checks.ts";
import { expectRevoked, openMenu, logIn as sendLogin } from "../../conformance/meta/browser/streamers.ts";
import { me } from "../../conformance/suite/client/api.ts";
import { type AuthorizationRequest, authorizationPath, loginOf } from "../../conformance/suite/client/oauth/authorization.ts";
import { challengeOf, clientOf, exchange, newGrant, newVerifier, tokensOf } from "../../conformance/suite/client/oauth/oauth-client.ts";
import { target } from "../../conformance/suite/values/target.ts";

let application: Application;

beforeAll(async () => {
  application = await startApplication();
});

afterAll(async () => {
  application?.close();
});

beforeEach(() => void application.calls.splice(0));

const address = (parameters: AuthorizationRequest = {}): string =>
  target().url + authorizationPath(clientOf("confidential"), { redirect_uri: application.redirectUri, ...parameters });

const logIn = (tab: Tab, password = loginOf("main").password): Promise<void> => sendLogin(tab, { handle: "main", password });

const decide = (tab: Tab, decision: "approve" | "deny"): Promise<void> =>
  sendForm(tab, tab.page.locator(`button[name=decision][value=${decision}]`));

/** Returns the parameters with which the browser came back to the application. */
async function answer({ page }: Tab): Promise<URLSearchParams> {
  await page.waitForURL((url) => url.href.startsWith(application.redirectUri));
  expect(application.calls.length).toBe(1);
  return (application.calls[0] as URL).searchParams;
}

const screens: [string, BrowserContextOptions][] = [
  ["phone", phone],
  ["desktop", desktop],
  ["no-script", { ...desktop, javaScriptEnabled: false }],
];

describe.each(screens)("%s", (screen, options) => {
  const looksRight = async (tab: Tab, name: string): Promise<void> => {
    await takeScreenshot(tab, `${name}-${screen}`);
    if (options.javaScriptEnabled !== false) await expectUsableLayout(tab);
  };

  test("logging in and approving leads back to the application with code, state and iss", async () => {
    const tab = await openTab(options);
    const verifier = newVerifier();
    const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: "S256" };
    await tab.page.goto(address({ state: "ทดสอบ&x=1", ...pkce }));
    await looksRight(tab, "login");
    await logIn(tab);
    await tab.page.waitForSelector("button[name=decision]");
    await looksRight(tab, "consent");
    await decide(tab, "approve");

    const told = await answer(tab);
    expect([told.get("state"), told.get("iss")]).toEqual(["ทดสอบ&x=1", target().url]);
    const code = String(told.get("code"));
    const tokens = tokensOf(await exchange(clientOf("confidential"), { code, verifier, redirectUri: application.redirectUri }));
    expect((await me({ key: tokens.access_token })).status).toBe(200);
    expect(tab.complaints).toEqual([]);
    await tab.context.close();
  });

  test("a streamer sees the connected applications and disconnects one", async () => {
    const client = clientOf("second");
    const { access_token } = await newGrant(client);
    const tab = await openTab(options);
    await tab.page.goto(`${target().url}/oauth/connections`);
    await logIn(tab);
    await tab.page.waitForSelector("form[action$='/disconnect']");
    await looksRight(tab, "connections");
    const connection = tab.page.locator(`form[action$='/disconnect']:has(input[value="${client.id}"])`);
    await sendForm(tab, connection.locator("button"));
    expect(await connection.count()).toBe(0);
    await expectRevoked(access_token);
    await openMenu(tab);
    await sendForm(tab, tab.page.locator("form[action$='/oauth/logout'] button"));
    await tab.page.waitForSelector("input[name=password]");
    expect(tab.complaints).toEqual([]);
    await tab.context.close();
  });
});

test("denying leads back to the application with access_denied", async () => {
  const tab = await openTab({ ...desktop, javaScriptEnabled: false });
  await tab.page.goto(address());
  await logIn(tab);
  await decide(tab, "deny");
  const told = await answer(tab);
  expect([told.get("error"), told.get("state"), told.get("iss"), told.has("code")]).toEqual(["access_denied", "xyz", target().url, false]);
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("a wrong password shows a message, and the form can be sent again", async () => {
  const tab = await openTab(phone);
  await tab.page.goto(address());
  await logIn(tab, "wrong");
  await tab.page.waitForSelector("[role=alert]");
  await takeScreenshot(tab, "wrong-password-phone");
  await expect.poll(() => tab.page.locator("input[name=handle]").inputValue()).toBe("main");
  await expect.poll(() => tab.page.locator("input[name=password]").inputValue()).toBe("");
  await logIn(tab);
  await tab.page.waitForSelector("button[name=decision]");
  expect(application.calls).toEqual([]);
  await tab.context.close();
});

test("a link with a wrong redirect URI or an unknown client leads to an error page", async () => {
  const tab = await openTab(phone);
  for (const parameters of [{ redirect_uri: "https://evil.example/" }, { client_id: "unknown" }]) {
    const reply = await tab.page.goto(address(parameters));
    expect(reply?.status()).toBe(400);
    expect(new URL(tab.page.url()).origin).toBe(new URL(target().url).origin);
  }
  await takeScreenshot(tab, "wrong-link-phone");
  await tab.context.close();
});

test("login and consent can be completed with the keyboard alone", async () => {
  const tab = await openTab();
  const { keyboard } = tab.page;
  await tab.page.goto(address());
  await tab.page.locator("input[name=handle]:focus").waitFor();
  await keyboard.type("main");
  await keyboard.press("Tab");
  await keyboard.type(loginOf("main").password);
  await keyboard.press("Enter");
  await tab.page.waitForSelector("button[name=decision]");
  const focused = (): Promise<string> => tab.page.evaluate("document.activeElement.value ?? ''");
  for (let count = 0; count < 12 && (await focused()) !== "approve"; count += 1) await keyboard.press("Tab");
  await expect.poll(() => focused()).toBe("approve");
  const ring = await tab.page.evaluate(
    "(({ outlineStyle, boxShadow }) => [outlineStyle, boxShadow])(getComputedStyle(document.activeElement))",
  );
  expect(ring, "the button does not show that it has the focus").not.toEqual(["none", "none"]);
  await takeScreenshot(tab, "consent-focus");
  await keyboard.press("Enter");
  expect((await answer(tab)).has("code")).toBe(true);
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

describe("tampering", () => {
  async function atConsent(): Promise<Tab> {
    const tab = await openTab();
    await tab.page.goto(address({ scope: "read:donations" }));
    await logIn(tab);
    await tab.page.waitForSelector("button[name=decision]");
    return tab;
  }

  test("a changed hidden field leads to an error page and to no redirect", async () => {
    const tab = await atConsent();
    await tab.page.evaluate("document.querySelector('form[action$=consent] input').value += 'x'");
    await decide(tab, "approve");
    await takeScreenshot(tab, "tampered-desktop");
    expect(new URL(tab.page.url()).origin).toBe(new URL(target().url).origin);
    expect(application.calls).toEqual([]);
    await tab.context.close();
  });

  test("fields added to the consent form change nothing about the grant that was shown", async () => {
    const tab = await atConsent();
    await tab.page.evaluate(
      "document.querySelector('form[action$=consent]').insertAdjacentHTML('beforeend', '<input name=scope value=write:donations><input name=redirect_uri value=https://evil.example>')",
    );
    await decide(tab, "approve");
    const code = String((await answer(tab)).get("code"));
    const { scope } = tokensOf(await exchange(clientOf("confidential"), { code, redirectUri: application.redirectUri }));
    expect(scope).toBe("read:donations");
    await tab.context.close();
  });

  test("no script runs on login and consent pages, injected or from another address", async () => {
    const tab = await atConsent();
    await tab.page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = 2' })); document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">'); new Promise((resolve) => document.body.lastChild.addEventListener('error', resolve)).then(() => {})",
    );
    await expect.poll(() => tab.page.evaluate("window.ran ?? null")).toBeNull();
    await tab.context.close();
  });

  test("a form sent from another site is refused, and the pages cannot be shown in a frame", async () => {
    const tab = await atConsent();
    const foreign = application.redirectUri.replace("/callback", "/elsewhere");
    const evil = await tab.context.newPage();
    await evil.goto(foreign);
    await evil.evaluate(
      `document.body.innerHTML = '<form method=post action="${target().url}/oauth/consent"><input name=decision value=approve><input name=formToken value=x></form>'; document.forms[0].submit()`,
    );
    await evil.waitForURL(`${target().url}/oauth/consent`);
    await expect.poll(() => evil.locator("button[name=decision]").count()).toBe(0);
    await evil.goto(foreign);
    await evil.evaluate(
      `document.body.innerHTML = '<iframe src="${address()}"></iframe>'; new Promise((resolve) => document.body.lastChild.addEventListener("load", resolve)).then(() => {})`,
    );
    const frame = evil.frames().find((one) => one !== evil.mainFrame());
    await expect.poll(() => frame?.locator("form").count()).toBe(0);
    expect(application.calls).toEqual([]);
    await tab.context.close();
  });
});
