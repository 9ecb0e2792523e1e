import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi, type SimulatedResponse } from "../testing/render-ui.tsx";
import { SignInPage } from "./sign-in-page.tsx";

test.each<readonly [string, SimulatedResponse | (() => never), string]>([
  ["the key is not valid", problem(401, "Unauthorized"), "That key isn't valid."],
  [
    "there were too many attempts",
    problem(429, "Too many requests"),
    "Too many attempts. Wait a minute and try again.",
  ],
  [
    "the service is unreachable",
    () => {
      throw new TypeError("Failed to fetch");
    },
    "The service cannot be reached. Check that it is running, then try again.",
  ],
])("says so when %s", async (_when, response, text) => {
  const { user } = renderUi(<SignInPage />, { "POST /web/session": response }, null);
  await user.type(screen.getByLabelText("API key"), "a-key{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe(text);
  expect(document.activeElement).toBe(screen.getByLabelText("API key"));
});
