import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { key, server } from "../testing/samples.ts";
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
