// The studio's pages of the account and of applications in Chromium: password, time zone, language, other browsers, and an application from its
// registration to its last token.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Application, startApplication } from "../../../conformance/meta/browser/application.ts";
import { followLink, openTab, sendForm, type Tab } from "../../../conformance/meta/browser/chromium.ts";
import { expectedMessages, looksRight, screens } from "../../../conformance/meta/browser/page-checks.ts";
import { expectRevoked, logIn, newLogin } from "../../../conformance/meta/browser/streamers.ts";
import { me } from "../../../conformance/suite/client/api.ts";
import { authorizationPath } from "../../../conformance/suite/client/oauth/authorization.ts";
import { challengeOf, exchange, newVerifier, tokensOf } from "../../../conformance/suite/client/oauth/oauth-client.ts";
import { remember } from "../../../conformance/suite/values/redact.ts";
import { target } from "../../../conformance/suite/values/target.ts";

// Password checks are slow on purpose, and each screen has its own streamer.
/** A wrong current password answers 403. */
const isExpected = (line: string) => expectedMessages.test(line) || line.endsWith("status of 403 (Forbidden)");

const submit = (tab: Tab, path: string) => sendForm(tab, tab.page.locator(`form[action$='${path}'] button:not([type=button])`).first());

test.each(screens)("a streamer changes the password, time zone and language, and logs out everywhere: %s", async (screen, options) => {
  const tab = await openTab(options);
  const { page } = tab;
  const { password } = await newLogin(tab, "/studio/account");
  await looksRight(tab, `account-${screen}`);
  const change = async (current: string) => {
    await page.locator("input[name=current]").fill(current);
    for (const name of ["next", "repeated"]) await page.locator(`input[name=${name}]`).fill(`${password}!`);
    await submit(tab, "/account/password");
  };
  await change("a wrong password");
  await page.getByText("The current password is wrong.").waitFor();
  await looksRight(tab, `account-wrong-${screen}`);
  await change(password);
  await page.getByText("Password changed.").waitFor();
  await page.locator("select[name=timeZone]").selectOption("Asia/Tokyo");
  await page.locator("select[name=preferred]").selectOption("th");
  await submit(tab, "/account/preferences");
  await page.locator("html[lang=th]").waitFor();
  await expect.poll(() => page.locator("select[name=timeZone]").inputValue()).toBe("Asia/Tokyo");
  await submit(tab, "/account/sessions");
  await page.waitForSelector("input[name=password]");
  expect(tab.complaints.filter((line) => !isExpected(line))).toEqual([]);
  await tab.context.close();
});

test("a streamer logs one other browser out, and stays logged in", async () => {
  const tab = await openTab();
  const { page } = tab;
  const login = await newLogin(tab, "/studio/account");
  const other = await openTab();
  await other.page.goto(`${target().url}/studio/account`);
  await logIn(other, login);
  await page.reload();
  await page.locator(".section:has(#sessions) li", { hasText: "This browser" }).getByText("Chrome").waitFor();
  await sendForm(tab, page.locator("button[name=session]"));
  await page.getByText("That browser is logged out.").waitFor();
  await expect.poll(() => page.locator("button[name=session]").count()).toBe(0);
  await other.page.reload();
  await other.page.waitForSelector("input[name=password]");
  await Promise.all([tab.context.close(), other.context.close()]);
});

let application: Application;

beforeAll(async () => {
  application = await startApplication();
});

afterAll(() => application?.close());

beforeEach(() => void application.calls.splice(0));

/** Unfolds the part of the page that has this form, with or without scripts. */
async function unfoldForm({ page }: Tab, path: string): Promise<void> {
  const folded = page.locator("details:not([open])", { has: page.locator(`form[action$='${path}']`) });
  if (await folded.count()) await folded.locator("summary").click();
}

async function secretOf({ page }: Tab): Promise<string> {
  const secret = await page.locator("#secret").inputValue();
  remember(secret);
  return secret;
}

test.each(screens)(
  "a streamer registers an application, which another streamer approves with a warning, and deletes it with all its tokens: %s",
  async (screen, options) => {
    const tab = await openTab(options);
    const { page } = tab;
    const { handle } = await newLogin(tab, "/studio/apps");
    await page.locator("input[name=name]").fill("Namjai lights");
    await page.locator("textarea[name=redirectUris]").fill(`${application.redirectUri}\nhttps://*.lights.example/`);
    await submit(tab, "/studio/apps");
    await page.waitForSelector("[role=alert]");
    await expect.poll(() => page.locator("#field-name-fault").textContent()).toContain("name of this platform");
    await expect.poll(() => page.locator("#field-redirectUris-fault").textContent()).toContain("compared exactly");
    await expect
      .poll(() => page.locator("textarea").inputValue(), { message: "what was typed is kept" })
      .toContain("https://*.lights.example/");
    await looksRight(tab, `studio-apps-wrong-${screen}`);
    await page.locator("input[name=name]").fill("Stage lights");
    await page.locator("textarea[name=redirectUris]").fill(application.redirectUri);
    await submit(tab, "/studio/apps");
    const secret = await secretOf(tab);
    const id = (await page.locator("main code").first().textContent()) ?? "";
    await looksRight(tab, `studio-app-secret-${screen}`);

    const other = await openTab(options);
    await newLogin(other);
    const verifier = newVerifier();
    const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: "S256" };
    const client = { id, secret, name: "Stage lights", redirectUris: [application.redirectUri], scopes: ["read:donations"] };
    await other.page.goto(
      target().url + authorizationPath(client, { redirect_uri: application.redirectUri, scope: "read:donations", ...pkce }),
    );
    await expect.poll(() => other.page.locator("main").textContent()).toContain(`Registered by ${handle}, not checked by`);
    await looksRight(other, `consent-own-app-${screen}`);
    await sendForm(other, other.page.locator("button[name=decision][value=approve]"));
    expect(other.page.url()).toContain(application.redirectUri);
    const code = application.calls[0]?.searchParams.get("code") ?? "";
    const { access_token } = tokensOf(await exchange(client, { code, verifier, redirectUri: application.redirectUri }));
    expect((await me({ key: access_token })).status).toBe(200);
    await other.context.close();

    await followLink(tab, page.locator("main a").last());
    await unfoldForm(tab, "/studio/apps/rotate");
    await submit(tab, "/studio/apps/rotate");
    await expect.poll(() => secretOf(tab)).not.toBe(secret);
    await followLink(tab, page.locator("main a").last());
    await unfoldForm(tab, "/studio/apps/change");
    await page.locator("input[name=name]").fill("Stage lights 2");
    await submit(tab, "/studio/apps/change");
    await page.locator("main > [role=status]").waitFor();
    await looksRight(tab, `studio-app-${screen}`);
    await followLink(tab, page.locator("main a").first());
    await page.getByText("Stage lights 2").waitFor();
    await looksRight(tab, `studio-apps-${screen}`);
    await followLink(tab, page.locator("main .cards a").first());
    await unfoldForm(tab, "/studio/apps/delete");
    await submit(tab, "/studio/apps/delete");
    await page.getByText("You have registered no applications").waitFor();
    await expectRevoked(access_token);
    expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
    await tab.context.close();
  },
);
