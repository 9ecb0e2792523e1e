/**
 * Removes what a component test has rendered or replaced: test files share their page and their modules. Fails tests during
 * which React warned about `act`.
 */
import { cleanup } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";

let actWarnings: string[] = [];

beforeEach(() => {
  actWarnings = [];
  const { error } = console;
  vi.spyOn(console, "error").mockImplementation((...values: unknown[]) => {
    const [text] = values;
    if (typeof text === "string" && text.includes("act(")) actWarnings.push(text);
    else error(...values);
  });
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  localStorage.clear();
  history.replaceState(null, "", "/");
  // A test has to use `act` of Testing Library, which tells React that it is a test; that of React does not.
  if (actWarnings.length > 0) throw new Error(actWarnings.join("\n"));
});
