import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import {
  accountSession,
  readOnlySession,
  restrictedSession,
  server,
  sessionOfMember,
  teamServer,
} from "../testing/samples.ts";
import { SettingsPage } from "./settings-page.tsx";

const full = { ...server, messages: 3, retired: 12, quota: { messages: 5, bytes: null } };

test("hides keys and deletion from a restricted key, and shows the quota read-only", async () => {
  const page = <SettingsPage session={restrictedSession} server={server.id} />;
  renderUi(page, { "GET /api/servers": [full] }, restrictedSession);
  const quota = await screen.findByRole<HTMLInputElement>("textbox", { name: "Quota (messages)" });
  expect([quota.value, quota.matches(":disabled")]).toEqual(["5", true]);
  expect(screen.queryByText("Keys of this server")).toBeNull();
  expect(screen.queryByRole("button", { name: "Delete server" })).toBeNull();
  screen.getByRole("button", { name: "Delete all messages" });
});

test("rejects limits that are not whole numbers before sending them", async () => {
  const { user, requests } = renderUi(<SettingsPage session={accountSession} server={server.id} />, {
    "GET /api/servers": [full],
    "GET /api/keys": [],
  });
  await user.type(await screen.findByRole("textbox", { name: "Keep at most (messages)" }), "many");
  screen.getByText("Enter a whole number from 1, or leave the field empty.");
  await user.keyboard("{Enter}");
  expect(requests.filter((line) => line.startsWith("PUT"))).toEqual([]);
  screen.getByText("12 messages deleted so far.");
});

test("saves the effect of deletions by mail clients", async () => {
  const { user, requests } = renderUi(<SettingsPage session={accountSession} server={server.id} />, {
    "GET /api/servers": [full],
    "GET /api/keys": [],
    "PUT /api/servers/shop1234": { ...full, readerDeletion: "hide" },
  });
  const select = await screen.findByRole("combobox", { name: "When a client deletes by POP3 or IMAP" });
  expect(
    within(select)
      .getAllByRole("option")
      .map(({ textContent }) => textContent),
  ).toEqual(["Delete the message", "Hide the message from that client only", "Refuse, and keep the message"]);
  const form = within(select.closest("form") ?? document.body);
  expect(form.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
  await user.selectOptions(select, "Hide the message from that client only");
  expect(requests.filter((line) => line.startsWith("PUT"))).toEqual([]);
  await user.click(form.getByRole("button", { name: "Save" }));
  await screen.findByText("Saved");
  expect(requests.filter((line) => line.startsWith("PUT"))).toHaveLength(1);
});

test("asks for the name before it deletes a server, and shows why that fails", async () => {
  const { user } = renderUi(<SettingsPage session={accountSession} server={server.id} />, {
    "GET /api/servers": [full],
    "GET /api/keys": [],
    "DELETE /api/servers/shop1234": problem(500, "Internal error"),
  });
  await user.click(await screen.findByRole("button", { name: "Delete server" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Delete server" }));
  const confirm = dialog.getByRole<HTMLButtonElement>("button", { name: "Delete server" });
  expect(confirm.disabled).toBe(true);
  await user.type(dialog.getByRole("textbox", { name: "Type Shop to confirm" }), "Shop");
  await user.click(confirm);
  expect((await dialog.findByRole("alert")).textContent).toContain("Internal error");
});

test("shows settings without actions to a key that may only read", async () => {
  renderUi(
    <SettingsPage session={readOnlySession} server={server.id} />,
    {
      "GET /api/servers": [full],
      "GET /api/keys": [],
      "GET /api/servers/shop1234/tag-rules": { plusAddresses: false, rules: [] },
    },
    readOnlySession,
  );
  await screen.findByText("Your key is read-only, so you cannot change settings.");
  const name = await screen.findByRole<HTMLInputElement>("textbox", { name: "Name" });
  expect(name.closest("fieldset")?.matches(":disabled")).toBe(true);
  expect(name.matches(":disabled")).toBe(true);
  for (const name of ["New key", "Delete all messages", "Delete server"]) {
    expect(screen.queryByRole("button", { name })).toBeNull();
  }
});

test("downloads the bundle of a server, and shows why that fails", async () => {
  let ticket: Response | Record<string, string> = problem(503, "Retry later");
  const { user, requests } = renderUi(<SettingsPage session={accountSession} server={server.id} />, {
    "GET /api/servers": [full],
    "GET /api/keys": [],
    "POST /web/tickets": () => ticket,
  });
  const button = await screen.findByRole("button", { name: "Download bundle (ZIP)" });
  await user.click(button);
  await screen.findByText(/Retry later/);
  ticket = { url: "#bundle" };
  await user.click(button);
  await expect.poll(() => screen.queryByText(/Retry later/)).toBeNull();
  expect(requests).toContain('POST /web/tickets {"url":"/api/servers/shop1234/bundle"}');
});

test("lets a tester change only what its role includes, and shows the team of the server", async () => {
  history.replaceState(null, "", `/servers/${server.id}/settings`);
  const session = sessionOfMember("tester");
  const responses = {
    "GET /api/servers": [teamServer],
    "GET /api/teams": [{ id: "team1", name: "Payments" }],
    "GET /api/servers/shop1234/tag-rules": { plusAddresses: false, rules: [] },
  };
  renderUi(<SettingsPage session={session} server={server.id} />, responses, session);
  await screen.findByText("Your role does not include all of these settings.");
  await screen.findByRole("option", { name: "Payments" });
  const isDisabled = (name: string): boolean => screen.getByLabelText(name).matches(":disabled");
  for (const name of ["Name", "Team", "Keep at most (messages)", "When a client deletes by POP3 or IMAP"]) {
    expect([name, isDisabled(name)]).toEqual([name, true]);
  }
  expect(screen.getByRole("button", { name: "Delete all messages" }).matches(":disabled")).toBe(false);
  expect(screen.queryByText("Keys of this server")).toBeNull();
  expect(screen.queryByRole("button", { name: "Delete server" })).toBeNull();
});

test("lets a manager delete a server of its team, see its keys and move it to another team that it manages", async () => {
  history.replaceState(null, "", `/servers/${server.id}/settings`);
  const base = sessionOfMember("manager");
  const teams = [
    ...(base.user?.teams ?? []),
    { id: "team2", name: "Shop team", role: "manager", access: "full" } as const,
  ];
  const session = { ...base, user: base.user && { ...base.user, teams } };
  const { user, requests } = renderUi(
    <SettingsPage session={session} server={server.id} />,
    {
      "GET /api/servers": [teamServer],
      "GET /api/teams": teams,
      "GET /api/keys": [],
      "PUT /api/servers/shop1234": { ...teamServer, team: "team2" },
    },
    session,
  );
  await screen.findByText("Keys of this server");
  screen.getByRole("button", { name: "Delete server" });
  const select = within(await screen.findByLabelText("Team"));
  expect(select.getAllByRole("option").map(({ textContent }) => textContent)).toEqual(["Payments", "Shop team"]);
  await user.selectOptions(screen.getByLabelText("Team"), "Shop team");
  const form = screen.getByLabelText("Team").closest("form");
  await user.click(within(form ?? document.body).getByRole("button", { name: "Save" }));
  await expect.poll(() => requests).toContain('PUT /api/servers/shop1234 {"team":"team2"}');
});
