import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (file: string) => readFileSync(join(import.meta.dirname, "..", file), "utf8");

/** deploy/node/ has the packages of Node, for machines whose own is older. */
const installed = ["package.json", "deploy/node/package.json"].flatMap((file) => {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read(file));
  return Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
});

/** Package names of the first column of "Dependencies and why"; `@types/*` stands for all that begin so. */
const [, section = ""] = read("README.md").split("\n## Dependencies and why\n");
const named = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
);
const isNamedBy = (name: string) => (dependency: string) =>
  name.endsWith("*") ? dependency.startsWith(name.slice(0, -1)) : dependency === name;

test("README says what each dependency of package.json is for, and names no other package", () => {
  expect(installed.filter((dependency) => !named.some((name) => isNamedBy(name)(dependency)))).toEqual([]);
  expect(named.filter((name) => !installed.some(isNamedBy(name)))).toEqual([]);
});

test("README's answer has the members of a donation in the contract, in their order", () => {
  const [, answer = ""] = /HTTP\/1\.1 201 Created\n.*?\n\n(.*?)\n```/s.exec(read("README.md")) ?? [];
  const { data } = JSON.parse(answer);
  const [example] = JSON.parse(read("generated/openapi.json")).components.schemas.Donation.examples;
  const remedy = "write into README.md's answer the members of the example in spec/donations.tsp";
  expect(Object.keys(data), remedy).toEqual(Object.keys(example));
  expect(Object.keys(data.alert), remedy).toEqual(Object.keys(example.alert));
});
