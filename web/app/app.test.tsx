import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderUi } from "../testing/render-ui.tsx";
import { strings } from "../strings.ts";
import { accountSession, restrictedSession, server } from "../testing/samples.ts";
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
