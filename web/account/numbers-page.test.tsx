import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { message, accountSession, readOnlySession, server } from "../testing/samples.ts";
import { problem, renderUi, type Responses } from "../testing/render-ui.tsx";
import type { PhoneNumber, Session } from "../wire.ts";
import { NumbersPage } from "./numbers-page.tsx";

const number: PhoneNumber = {
  id: "n1",
  number: "+15550100",
  server: server.id,
  provider: "twilio",
  webhook: "http://localhost:3000/sms",
  signed: true,
  sends: true,
  createdAt: "2026-01-01T00:00:00.000Z",
};
const account = { id: "account SID", key: "SID of an API key", secret: "auth token" };
const session: Session = {
  ...accountSession,
  smsProviders: [
    { name: "twilio", label: "Twilio", signingSecret: "auth token", account },
    { name: "vonage", label: "Vonage", signingSecret: "signature secret", account: { ...account, key: null } },
  ],
};
const responses: Responses = { "GET /api/phone-numbers": [number], "GET /api/servers": [server] };

test("changes a number and leaves credentials that are not entered as they are", async () => {
  const { user, requests } = renderUi(<NumbersPage />, { ...responses, "PUT /api/phone-numbers/n1": number }, session);
  await user.click(await screen.findByRole("button", { name: "Edit" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Edit +15550100" }));
  await user.clear(dialog.getByLabelText("Webhook for replies (optional)"));
  await user.click(dialog.getByRole("button", { name: "Save" }));
  await screen.findByText("+15550100 saved");
  expect(requests).toContain('PUT /api/phone-numbers/n1 {"server":"shop1234","provider":"twilio","webhook":null}');
});

test("removes the signing secret, replaces the account, and shows why the service rejects that", async () => {
  const { user, requests } = renderUi(
    <NumbersPage />,
    { ...responses, "PUT /api/phone-numbers/n1": problem(400, "Give the account's secret") },
    session,
  );
  await user.click(await screen.findByRole("button", { name: "Edit" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Edit +15550100" }));
  await user.click(dialog.getByRole("checkbox", { name: /^Remove the signing secret/ }));
  await user.selectOptions(dialog.getByRole("combobox", { name: "Provider API" }), "Vonage");
  await user.click(dialog.getByText("New provider account (empty: unchanged)"));
  expect(dialog.queryByLabelText(/API key/)).toBeNull();
  await user.type(dialog.getByLabelText("Account SID"), "AC1");
  await user.click(dialog.getByRole("button", { name: "Save" }));
  expect((await dialog.findByRole("alert")).textContent).toContain("Give the account's secret");
  const change = JSON.parse(requests.find((line) => line.startsWith("PUT"))?.split("n1 ")[1] ?? "{}") as unknown;
  expect(change).toEqual({
    server: server.id,
    provider: "vonage",
    webhook: number.webhook,
    secret: null,
    account: { id: "AC1" },
  });
});

test("receives an SMS and links to it", async () => {
  const { user, requests } = renderUi(
    <NumbersPage />,
    { ...responses, "POST /api/sms": message({ id: "s1" }) },
    session,
  );
  await screen.findByText("+15550100");
  await user.click(screen.getByRole("button", { name: "Receive an SMS" }));
  await user.click(await screen.findByRole("button", { name: "Receive" }));
  await user.click(await screen.findByRole("button", { name: "Show" }));
  expect(location.pathname).toBe("/servers/shop1234/messages/s1");
  expect(requests).toContain('POST /api/sms {"from":"Example","to":"+15550100","text":"Your code is 804219"}');
});

test("offers no actions to a key that may only read", async () => {
  renderUi(<NumbersPage />, responses, readOnlySession);
  await screen.findByText("+15550100");
  expect(screen.queryAllByRole("button")).toEqual([]);
});
