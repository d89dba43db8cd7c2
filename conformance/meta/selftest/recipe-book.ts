// Reads docs/recipes.md: what they have one write, run and see.

export type Edit = { kind: "edit"; file: string; place: Place | null; anchor: string; text: string };

/** `promised`: what the command says when it fails; nothing: it passes. `…` stands for anything in the line. */
export type Command = { kind: "command"; command: string; promised: string[] };

export type Recipe = { title: string; steps: (Edit | Command)[] };

type Place = (typeof places)[number];

const places = ["at the end", "before", "after", "instead of"] as const;

/** The sections in which something is run. Throws an Error that names a snippet without a file. */
export function readRecipes(markdown: string): Recipe[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ""] = section.split("\n", 1);
      return { title, blocks: fencesOf(section) };
    })
    .filter(({ blocks }) => blocks.some(({ language }) => language === "console"))
    .map(({ title, blocks }) => ({ title, steps: blocks.map((block) => stepOf(title, block)) }));
}

type Fence = { language: string; lines: string[] };

/** Fenced code, without the indentation of its fence. */
function fencesOf(section: string): Fence[] {
  return [...section.matchAll(/^( *)```(\w+)\n(.*?)^ *```$/gms)].map(([, indentation = "", language = "", text = ""]) => ({
    language,
    lines: text.split("\n").map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line.trimStart())),
  }));
}

function stepOf(title: string, { language, lines }: Fence): Edit | Command {
  const [first = "", ...others] = lines;
  if (language === "console")
    return { kind: "command", command: first.replace(/^\$ /, ""), promised: others.filter((line) => line !== "") };
  const [, file, place, anchor = ""] = /^(?:\/\/|--) ([\w./-]+)(?:, (at the end|before|after|instead of)(?:: (.+))?)?$/.exec(first) ?? [];
  if (!file) throw new Error(`${title}: a snippet does not say which file it belongs to: ${first}`);
  return { kind: "edit", file, place: places.find((known) => known === place) ?? null, anchor, text: others.join("\n") };
}

/** The file with the snippet in it; `before` is null where there is no such file. Throws an Error that names what does not fit. */
export function edited(before: string | null, { file, place, anchor, text }: Edit): string {
  if (place === null) {
    if (before !== null) throw new Error(`${file} exists already`);
    return text;
  }
  if (before === null) throw new Error(`there is no ${file}`);
  if (place === "at the end") return before + text;
  const lines = before.split("\n");
  const found = [...lines.entries()].filter(([, line]) => line.trim() === anchor);
  const [index] = found[0] ?? [];
  if (index === undefined || found.length > 1) throw new Error(`${file} has ${found.length} lines, not one, that say: ${anchor}`);
  const kept = place === "instead of" ? [] : [lines[index] as string];
  const snippet = text.replace(/\n$/, "").split("\n");
  lines.splice(index, 1, ...(place === "after" ? [...kept, ...snippet] : [...snippet, ...kept]));
  return lines.join("\n");
}

/** The promised lines that the output does not have. */
export function unkept(promised: readonly string[], output: string): string[] {
  const plain = output.replace(/\u001b\[[0-9;]*m/g, "");
  const pattern = (line: string) => new RegExp(line.trim().split("…").map(literally).join(".*"));
  return promised.filter((line) => !pattern(line).test(plain));
}

function literally(text: string): string {
  return text.replace(/[.*+?^$()|[\]{}\\/]/g, "\\$&");
}
