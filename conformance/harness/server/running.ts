import { TestRunner } from "vitest";

/** The running test; undefined while files are collected and in hooks around a whole file. */
export const running = (): ReturnType<typeof TestRunner.getCurrentTest> | undefined => TestRunner.getCurrentTest();
