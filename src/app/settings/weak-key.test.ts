import { expect, test } from "vitest";
import { keyWeakness } from "./config.ts";

test.each([
  "change-me",
  "CHANGE_ME_TO_SOMETHING_LONG",
  "replace-me-account-key",
  "replace-me-sealing-key",
  "REPLACE_THIS_WITH_A_LONG_KEY",
  "a-key-of-your-choice",
  "your-api-key-goes-here",
  "my-secret-key-1234567890",
  "not-so-secret-at-all",
  "placeholder-placeholder",
  "examplekeyexamplekey",
  "YOUR_OWN_API_KEY",
])("refuses the placeholder %s", (key) => {
  expect(keyWeakness(key)).toContain("placeholder");
});

test("refuses keys of fewer than 16 characters", () => {
  expect(keyWeakness("f3a9c1d07b2e864")).toContain("at least 16");
  expect(keyWeakness("f3a9c1d07b2e8640")).toBeNull();
});

test.each(["3b1f0c9d8e7a6b5c4d3e2f1a", "Zm9vYmFyYmF6cXV4cXV1eA", "restante-ci-7f3a9c1d07b2"])("accepts %s", (key) => {
  expect(keyWeakness(key)).toBeNull();
});
