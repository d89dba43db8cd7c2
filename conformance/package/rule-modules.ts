// The package replaces this module (build.ts): a bundle imports its own parts by functions, not by paths.

/** Imports a rule file; `file` is its path relative to `conformance/`. */
export const importRules = (file: string): Promise<unknown> => import(new URL(`../${file}`, import.meta.url).href);
