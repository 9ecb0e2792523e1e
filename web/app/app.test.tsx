import { cleanup, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderUi } from "../testing/render-ui.tsx";
import { strings } from "../strings.ts";
import { accountSession, restrictedSession, server, sessionOfMember, teamServer } from "../testing/samples.ts";
import { App } from "./app.tsx";

const otherServer = { ...server, id: "auth5678", name: "Auth" };
const responses = {
  "GET /api/servers": [server, otherServer],
  "GET /api/messages": [],
  "GET /api/status": { tasks: [] },
};

test("lists the shortcuts to the pages of the account to its keys only", async () => {
  const { user } = renderUi(<App />, responses);
  await screen.findByRole("link", { name: "Shop" });
  await user.keyboard("?");
  await screen.findByRole("table", { name: "Pages of the account" });
  await user.keyboard("{Escape}");
  await user.keyboard("gu");
  await screen.findByRole("heading", { name: "Usage" });
  expect(screen.getByRole("link", { name: "Usage" }).getAttribute("aria-current")).toBe("page");
});

test("has no pages of the account for a restricted key", async () => {
  const { user } = renderUi(<App />, responses, restrictedSession);
  await screen.findByRole("link", { name: "Shop" });
  await user.keyboard("?");
  await screen.findByRole("table", { name: "Messages" });
  expect(screen.queryByRole("table", { name: "Pages of the account" })).toBeNull();
  expect(screen.queryByRole("link", { name: "Account" })).toBeNull();
});

test("keeps what is typed while the palette loads from the shortcuts of the page", async () => {
  const { user } = renderUi(<App />, { ...responses, "GET /api/search": [] });
  await screen.findByRole("link", { name: "Shop" });
  await user.keyboard("{Control>}k{/Control}gu");
  await screen.findByRole("combobox", { name: strings.palette.label });
  expect(location.pathname).toBe("/");
  await user.keyboard("{Escape}");
});

test("runs the command that is entered while the palette loads", async () => {
  const { user } = renderUi(<App />, { ...responses, "GET /api/search": [] });
  await screen.findByRole("link", { name: "Shop" });
  await user.keyboard("{Control>}k{/Control}usagex{Backspace}{Enter}");
  await screen.findByRole("heading", { name: "Usage" });
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("says that a key that may only send cannot read", async () => {
  renderUi(<App />, {}, { ...accountSession, scope: "send" });
  await screen.findByRole("heading", { name: "This key cannot read messages" });
});

test("lists users and teams in the rail once there are some, and opens them without, too", async () => {
  history.replaceState(null, "", "/keys");
  const people = { "GET /api/keys": [], "GET /api/users": [], "GET /api/teams": [] };
  const { user } = renderUi(<App />, { ...responses, ...people });
  const rail = await screen.findByRole("navigation", { name: "Account pages" });
  expect(within(rail).queryByRole("link", { name: "Users" })).toBeNull();
  await user.keyboard("ge");
  await screen.findByText("No users yet.");
  cleanup();
  history.replaceState(null, "", "/teams");
  renderUi(<App />, { ...responses, ...people }, { ...accountSession, hasPeople: true });
  within(await screen.findByRole("navigation", { name: "Account pages" })).getByRole("link", { name: "Users" });
  await screen.findByText("No teams yet.");
});

test("shows users who they are, with their roles, and the pages that they have", async () => {
  const { user } = renderUi(
    <App />,
    { ...responses, "GET /api/servers": [teamServer, otherServer], "GET /api/teams": [], "DELETE /web/session": {} },
    sessionOfMember("tester"),
  );
  await user.click(await screen.findByRole("button", { name: "Signed in as Ann" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Signed in" }));
  dialog.getByText("ann@corp.example");
  dialog.getByText("Payments: Tester");
  await user.keyboard("{Escape}");
  await user.keyboard("gm");
  const rail = within(await screen.findByRole("navigation", { name: "Account pages" }));
  expect(rail.getAllByRole("link").map(({ textContent }) => textContent)).toEqual(["Keys", "Teams"]);
  history.pushState(null, "", "/audit");
  await screen.findByRole("heading", { name: "This page needs access to the account" });
  await user.click(screen.getByRole("button", { name: "Signed in as Ann" }));
  const opened = within(await screen.findByRole("dialog", { name: "Signed in" }));
  await user.click(opened.getByRole("button", { name: "Sign out" }));
  await screen.findByLabelText("API key");
});
