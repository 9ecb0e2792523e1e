import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { accountSession, restrictedSession, server } from "../testing/samples.ts";
import { ServersPage } from "./servers-page.tsx";

test("shows an error of the service and retries", async () => {
  let isUp = false;
  const { user } = renderUi(<ServersPage session={accountSession} />, {
    "GET /api/servers": () => (isUp ? [server] : problem(503, "The service is temporarily unavailable; retry later")),
    "GET /api/messages": [],
  });
  expect((await screen.findByRole("alert")).textContent).toContain("temporarily unavailable");
  isUp = true;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("link", { name: "Shop" });
  expect(screen.queryByRole("alert")).toBeNull();
});

test("explains what to do without servers", async () => {
  renderUi(<ServersPage session={accountSession} />, { "GET /api/servers": [] });
  await screen.findByText(/No servers yet/);
});

test("does not offer to create a server to a restricted key", async () => {
  const responses = { "GET /api/servers": [server], "GET /api/messages": [] };
  renderUi(<ServersPage session={restrictedSession} />, responses, restrictedSession);
  await screen.findByText("0 messages");
  expect(screen.queryByRole("button", { name: "New server" })).toBeNull();
});

test("shows why a server cannot be created and keeps the dialog open", async () => {
  const { user } = renderUi(<ServersPage session={accountSession} />, {
    "GET /api/servers": [],
    "POST /api/servers": problem(409, "There are too many servers"),
  });
  await user.click(await screen.findByRole("button", { name: "New server" }));
  const name = await screen.findByRole("textbox", { name: "Name" });
  await waitFor(() => {
    expect(document.activeElement).toBe(name);
  });
  await user.type(name, "Shop{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("too many servers");
  screen.getByRole("dialog", { name: "New server" });
});
