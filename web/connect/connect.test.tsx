import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { accountSession, message, readOnlySession, server } from "../testing/samples.ts";
import { ConnectPage, FirstMessagePage } from "./connect-page.tsx";

const password = { "GET /api/servers/shop1234/password": { value: "s3cret" } };
const page = <FirstMessagePage session={accountSession} server={server.id} />;

test("adds a sample with a code, a link and an attachment", async () => {
  const { user, requests } = renderUi(page, { ...password, "POST /api/messages": message() });
  await user.click(await screen.findByRole("button", { name: "Send a sample" }));
  await screen.findByText("Sample sent");
  const [, body = "{}"] =
    /^POST \/api\/messages\?server=shop1234 (.*)$/.exec(requests.find((line) => line.startsWith("POST")) ?? "") ?? [];
  const { html, text, attachments, send } = JSON.parse(body) as Record<string, string>;
  expect(send).toBeUndefined();
  for (const content of [html, text]) expect(content).toMatch(/482913[^]*https:\/\/example\.com\//);
  expect(attachments).toHaveLength(1);
});

test("shows why a sample is rejected", async () => {
  const { user } = renderUi(page, { ...password, "POST /api/messages": problem(507, "The server is full") });
  await user.click(await screen.findByRole("button", { name: "Send a sample" }));
  expect((await screen.findByRole("alert")).textContent).toContain("The server is full");
});

test("offers neither a sample nor the password to a key that may only read", async () => {
  const { requests } = renderUi(<FirstMessagePage session={readOnlySession} server={server.id} />, {}, readOnlySession);
  await screen.findByText("Not shown: your key is read-only.");
  expect(screen.queryByRole("button", { name: "Send a sample" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Reset" })).toBeNull();
  expect(requests).toEqual([]);
});

test("remembers the framework, and has its settings with the values of the server", async () => {
  const connect = <ConnectPage session={accountSession} server={server.id} />;
  const first = renderUi(connect, password);
  await first.user.selectOptions(await screen.findByLabelText("Framework"), "Keycloak");
  renderUi(connect, password);
  await waitFor(() => {
    expect(screen.getAllByRole("option", { name: "Keycloak", selected: true })).toHaveLength(2);
  });
  expect((await screen.findAllByLabelText("realm.json"))[1]?.textContent).toContain('"password": "s3cret"');
});

test("replaces the SMTP password after a confirmation", async () => {
  let value = "s3cret";
  const { user } = renderUi(<ConnectPage session={accountSession} server={server.id} />, {
    "GET /api/servers/shop1234/password": () => ({ value }),
    "POST /api/servers/shop1234/password": () => ({ value: (value = "another") }),
  });
  await user.click(await screen.findByRole("button", { name: "Reset" }));
  await user.click(await screen.findByRole("button", { name: "Reset password" }));
  await screen.findByText("another");
});
