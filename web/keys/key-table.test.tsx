import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { accountSession, key, server, sessionOfMember } from "../testing/samples.ts";
import { KeyTable } from "./key-table.tsx";

test("shows only keys of the server, and says when there are none", async () => {
  renderUi(<KeyTable server={server.id} />, { "GET /api/keys": [key], "GET /api/servers": [server] });
  await screen.findByText("No keys yet.");
  expect(screen.queryByRole("table")).toBeNull();
});

test("marks expired, unnamed and unused keys", async () => {
  const keys = [{ ...key, name: "", expires: "2020-01-01T00:00:00.000Z" }];
  renderUi(<KeyTable server={null} />, { "GET /api/keys": keys, "GET /api/servers": [server] });
  const row = within(await screen.findByRole("row", { name: /unnamed/ }));
  row.getByRole("cell", { name: "Expired" });
  row.getByRole("cell", { name: "Never" });
  row.getByRole("cell", { name: "All servers" });
});

test("asks first what a new key gives access to, and stays open until its secret was copied", async () => {
  const { user, requests } = renderUi(<KeyTable server={null} />, {
    "GET /api/keys": [key],
    "GET /api/servers": [server],
    "POST /api/keys": { ...key, key: "secret-1" },
  });
  await user.click(await screen.findByRole("button", { name: "New key" }));
  const dialog = within(await screen.findByRole("dialog", { name: "New key" }));
  await user.selectOptions(await dialog.findByLabelText("Access"), server.name);
  await user.click(dialog.getByRole("button", { name: "Create" }));
  await dialog.findByText("secret-1");
  expect(requests).toContain(`POST /api/keys {"name":"","server":"${server.id}","scope":"full"}`);
  await user.keyboard("{Escape}");
  await dialog.findByText(/^Not copied yet/);
  await user.click(dialog.getByRole("button", { name: "Copy and close" }));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(await navigator.clipboard.readText()).toBe("secret-1");
});

test("keeps the key in the list when it cannot be revoked", async () => {
  const { user } = renderUi(<KeyTable server={null} />, {
    "GET /api/keys": [key],
    "GET /api/servers": [server],
    "DELETE /api/keys/k1": problem(409, "The last account key cannot be revoked"),
  });
  await user.click(await screen.findByRole("button", { name: "Revoke" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Revoke CI?" }));
  await user.click(dialog.getByRole("button", { name: "Revoke" }));
  await dialog.findByText(/last account key/);
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("dialog")).toBeNull();
  screen.getByRole("cell", { name: "CI" });
});

test("names the owners of keys, and lets a team own a new one", async () => {
  const team = { id: "team1", name: "Payments" };
  const keys = [
    key,
    { ...key, id: "k2", name: "CI", team: team.id },
    { ...key, id: "k3", name: "Laptop", user: "user1" },
  ];
  const { user, requests } = renderUi(
    <KeyTable server={null} />,
    {
      "GET /api/keys": keys,
      "GET /api/servers": [server],
      "GET /api/teams": [team],
      "GET /api/users": [{ id: "user1", email: "ann@corp.example" }],
      "POST /api/keys": { ...key, key: "secret-1" },
    },
    { ...accountSession, hasPeople: true },
  );
  await screen.findByRole("cell", { name: "Team Payments" });
  await screen.findByRole("cell", { name: "ann@corp.example" });
  expect(screen.getAllByRole("cell", { name: "All of its owner" })).toHaveLength(2);
  await user.click(screen.getByRole("button", { name: "New key" }));
  await user.selectOptions(await screen.findByLabelText("Belongs to"), "Team Payments");
  await user.click(screen.getByRole("button", { name: "Create" }));
  await expect.poll(() => requests).toContain('POST /api/keys {"name":"","team":"team1","scope":"full"}');
});

test("lets a viewer create keys of its own", async () => {
  renderUi(<KeyTable server={null} />, { "GET /api/keys": [], "GET /api/servers": [] }, sessionOfMember("viewer"));
  await screen.findByRole("button", { name: "New key" });
});
