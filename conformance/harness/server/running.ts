import { TestRunner } from "vitest";

/** The test that is running; undefined while files are collected and in hooks around a whole file. */
export const running = (): ReturnType<typeof TestRunner.getCurrentTest> | undefined => TestRunner.getCurrentTest();
