// The package replaces this module (package/own-modules.ts).

/** Whether the suite runs from the project's folder. The package has no sources: it starts no server and reads no file of the project. */
export const hasSources: boolean = true;
