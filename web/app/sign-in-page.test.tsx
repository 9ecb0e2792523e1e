import { cleanup, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { pageToken, storePageToken } from "../api/client.ts";
import { redeemLinkToken, useSession } from "../api/session.ts";
import { accountSession } from "../testing/samples.ts";
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

test("shows why the service refuses the key of a link", async () => {
  history.replaceState(null, "", "/#token=a-key");
  renderUi(<SignInPage />, { "POST /web/session": problem(403, "This key may only provision users") }, null);
  await redeemLinkToken();
  cleanup();
  renderUi(<SignInPage />, {}, null);
  expect((await screen.findByRole("alert")).textContent).toBe("This key may only provision users");
  expect(location.hash).toBe("");
});

test("signs in with a key that was corrected before the first one was answered", async () => {
  const { user } = renderUi(<Entry />, { "GET /web/session": () => ({ ...accountSession }) }, null);
  const first = Promise.withResolvers<Response>();
  const simulated = fetch;
  vi.stubGlobal("fetch", async (path: string, init?: RequestInit) => {
    const { authorization } = (init?.headers ?? {}) as Readonly<Record<string, string>>;
    if (authorization === "Bearer wrong") return first.promise;
    return authorization === "Bearer right" ? Response.json({ pageToken: "a-token" }) : simulated(path, init);
  });
  const field = await screen.findByLabelText("API key");
  await user.type(field, "wrong{Enter}");
  await user.clear(field);
  await user.type(field, "right{Enter}");
  first.resolve(problem(401, "Unauthorized"));
  await screen.findByText("Signed in");
  expect(pageToken()).toBe("a-token");
  storePageToken(null);
});

test("sends a key once, however often it is submitted", async () => {
  const { user, requests } = renderUi(<SignInPage />, { "POST /web/session": async () => new Promise(() => {}) }, null);
  await user.type(screen.getByLabelText("API key"), "a-key{Enter}{Enter}");
  await user.click(screen.getByRole("button", { name: "Sign in" }));
  expect(requests).toEqual(["GET /web/issuers", "POST /web/session"]);
});

function Entry() {
  const { data } = useSession();
  return data === undefined || data === null ? <SignInPage /> : <p>Signed in</p>;
}
