// make install where node_modules is a link to the packages of another checkout: npm ci would delete them. The Node that npm ci chooses, and the
// packages that few servers need.

import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { checkout } from "../../suite/contract/sources.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "namjai-install-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A checkout with an npm that only notes that it was called. `packages`: a folder to link node_modules to. */
function newCheckout(name: string, lockFile: string, packages: string | null): string {
  const home = join(folder, name);
  mkdirSync(home);
  copyFileSync(join(checkout, "Makefile"), join(home, "Makefile"));
  writeFileSync(join(home, "package-lock.json"), lockFile);
  if (packages) symlinkSync(packages, join(home, "node_modules"));
  else {
    mkdirSync(join(home, "node_modules/.bin"), { recursive: true });
    writeFileSync(join(home, "node_modules/.bin/npm"), `#!/bin/sh\necho npm "$@" >> "${join(folder, "called")}"\n`, { mode: 0o755 });
    writeFileSync(join(home, "node_modules/.package-lock.json"), "{}");
  }
  return home;
}

/** Makes the package-lock.json of a checkout older or newer than what is installed. */
function touch(home: string, age: "older" | "newer"): void {
  const installed = join(home, "node_modules/.package-lock.json");
  const lockFile = join(home, "package-lock.json");
  const now = Date.now() / 1000;
  utimesSync(installed, now - 60, now - 60);
  utimesSync(lockFile, now - (age === "older" ? 120 : 30), now - (age === "older" ? 120 : 30));
}

function make(home: string, target: string) {
  const { PATH = "", HOME = "" } = process.env;
  const { status, stdout, stderr } = spawnSync("make", [target], {
    cwd: home,
    env: { PATH, HOME },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { status, output: stdout + stderr, hasInstalled: existsSync(join(folder, "called")) };
}

test.each(["install", "serving"])("make %s stops where node_modules leads to another checkout with other packages", (target) => {
  const other = newCheckout("other", "one", null);
  const mine = newCheckout("mine", "two", join(other, "node_modules"));
  touch(mine, "newer");
  const { status, output, hasInstalled } = make(mine, target);
  expect([status, hasInstalled]).toEqual([2, false]);
  expect(output).toContain(`node_modules is a link to ${other}/node_modules`);
});

test("make install stops where node_modules leads to a checkout that has not installed its own package-lock.json yet", () => {
  const other = newCheckout("other", "one", null);
  const mine = newCheckout("mine", "one", join(other, "node_modules"));
  for (const home of [other, mine]) touch(home, "newer");
  expect(make(mine, "install")).toMatchObject({ status: 2, hasInstalled: false });
});

test("make install uses the packages that a link leads to where both checkouts have the same package-lock.json", () => {
  const other = newCheckout("other", "one", null);
  const mine = newCheckout("mine", "one", join(other, "node_modules"));
  touch(other, "older");
  touch(mine, "newer");
  expect(make(mine, "install")).toEqual({ status: 0, output: "", hasInstalled: false });
});

test("make install installs into a node_modules of its own when package-lock.json has changed", () => {
  const mine = newCheckout("mine", "one", null);
  touch(mine, "newer");
  expect(make(mine, "install")).toMatchObject({ status: 0, hasInstalled: true });
});

/** Runs install.sh on a machine whose Node has this version, and whose npm installs a Node 24. Returns which Node it chose. */
function chosenNode(version: string): string {
  const [home, machine] = [join(folder, "home"), join(folder, "machine")];
  for (const path of [machine, join(home, "deploy")]) mkdirSync(path, { recursive: true });
  cpSync(join(checkout, "deploy/node"), join(home, "deploy/node"), { recursive: true });
  const program = (path: string, lines: string) => writeFileSync(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  program(join(machine, "node"), `echo ${version}`);
  program(join(machine, "npm"), 'mkdir -p "$3/node_modules/.bin" && cp "$(dirname "$0")/node" "$3/node_modules/.bin/node"');
  const { status, stderr } = spawnSync("sh", [join(home, "deploy/node/install.sh")], {
    env: { PATH: `${join(home, "node_modules/.bin")}:${machine}:${process.env.PATH}` },
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return realpathSync(join(home, "node_modules/.bin/node")).slice(realpathSync(folder).length + 1);
}

test.each(["v24.0.0", "v24.21.0", "v25.1.0", "v30.0.0", "v100.0.0"])("npm ci uses the machine's own Node where it is %s", (version) =>
  expect(chosenNode(version)).toBe("machine/node"),
);

test.each(["v18.20.4", "v20.20.2", "v22.9.0", "v23.11.1"])("npm ci installs a Node 24 where the machine's own is %s", (version) =>
  expect(chosenNode(version)).toBe("home/node_modules/.node/node_modules/.bin/node"),
);

test("npm run extras installs the versions that are tested", () => {
  const { scripts, devDependencies } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  const installed = [...(scripts.extras as string).matchAll(/(@\S+\/\S+)@(\S+)/g)].map(([, name = "", version]) => [name, version]);
  const tested = Object.entries(devDependencies).filter(([name]) => /^@(?:opentelemetry|redis)\//.test(name));
  expect(installed.sort()).toEqual(tested.sort());
});
