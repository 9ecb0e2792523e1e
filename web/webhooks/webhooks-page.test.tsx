import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi, type Responses } from "../testing/render-ui.tsx";
import { readOnlySession, server } from "../testing/samples.ts";
import type { CallbackFormats, DeliveryDetail, EventWebhook, Webhook } from "../wire.ts";
import { WebhooksPage } from "./webhooks-page.tsx";

const path = `/api/servers/${server.id}`;
const webhook: Webhook = {
  id: "w1",
  server: server.id,
  url: "http://127.0.0.1:3000/hooks",
  state: "active",
  stateReason: null,
  createdAt: "2026-11-20T10:00:00.000Z",
  secret: null,
  description: "",
  events: ["message.received"],
  type: null,
  direction: null,
  criteria: null,
};
const formats: CallbackFormats = {
  events: [
    {
      name: "sendgrid",
      label: "SendGrid",
      events: ["delivered", "bounced"],
      settings: [
        { name: "password", description: "Password", isSecret: true },
        { name: "version", description: "Version", isSecret: false, values: ["2", "1"] },
        { name: "raw", description: "`true`: whole", isSecret: false, values: ["false", "true"] },
        { name: "messageStream", description: "Value of it", isSecret: false },
      ],
      verification: "ECDSA.",
    },
  ],
  inbound: [{ name: "raw", label: "Raw MIME", events: [], settings: [], verification: "Basic." }],
};
const delivery: DeliveryDetail = {
  id: "d1",
  server: server.id,
  target: webhook.id,
  message: null,
  type: "message.received",
  status: "Failed",
  attemptCount: 1,
  createdAt: "2026-11-20T10:00:00.000Z",
  nextAttemptAt: null,
  lastAttempt: {
    number: 1,
    startedAt: "2026-11-20T10:00:00.000Z",
    durationMs: 12,
    url: webhook.url,
    headers: {},
    responseStatus: 500,
    error: "The receiver responded with status 500",
  },
  request: { url: webhook.url, headers: { "webhook-id": "d1" }, body: "{}", bodyBytes: 2, encoding: "text" },
  attempts: [],
};
const nothing: Responses = {
  [`GET ${path}/webhooks`]: [],
  [`GET ${path}/event-webhooks`]: [],
  [`GET ${path}/inbound-routes`]: [],
  [`GET ${path}/deliveries`]: [],
  "GET /api/callback-formats": formats,
};

test("says that a server has none, and creates a webhook whose secret is shown once", async () => {
  const { user, requests } = renderUi(<WebhooksPage server={server.id} />, {
    ...nothing,
    [`POST ${path}/webhooks`]: { ...webhook, secret: "whsec_secret" },
  });
  await screen.findByText("No deliveries yet.");
  expect(screen.queryByRole("table")).toBeNull();
  await user.click(screen.getByRole("button", { name: "New webhook" }));
  const dialog = within(await screen.findByRole("dialog", { name: "New webhook" }));
  await user.type(dialog.getByRole("textbox", { name: "URL" }), webhook.url);
  await user.click(dialog.getByRole("checkbox", { name: "message.sent" }));
  await user.type(dialog.getByRole("textbox", { name: "Recipient" }), "a@b.example");
  await user.click(dialog.getByRole("button", { name: "Save" }));
  await dialog.findByText("whsec_secret");
  const sent = requests.find((line) => line.startsWith("POST")) ?? "";
  expect(JSON.parse(sent.slice(sent.indexOf("{")))).toEqual({
    url: webhook.url,
    description: "",
    events: ["message.received", "message.deleted", "message.delivery"],
    type: null,
    criteria: { sentTo: "a@b.example" },
  });
  await user.click(dialog.getByRole("button", { name: "Copy and close" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("shows why a URL is refused, and keeps the form", async () => {
  const { user } = renderUi(<WebhooksPage server={server.id} />, {
    ...nothing,
    [`POST ${path}/webhooks`]: problem(400, "The operator has not allowed calls to http://intern.example"),
  });
  await user.click(await screen.findByRole("button", { name: "New webhook" }));
  const dialog = within(await screen.findByRole("dialog", { name: "New webhook" }));
  await user.type(dialog.getByRole("textbox", { name: "URL" }), "http://intern.example");
  await user.click(dialog.getByRole("button", { name: "Save" }));
  expect((await dialog.findByRole("alert")).textContent).toContain("has not allowed");
  expect(dialog.getByRole<HTMLInputElement>("textbox", { name: "URL" }).value).toBe("http://intern.example");
});

test("offers the settings of a provider by names in words, and shows the public key of a new event webhook", async () => {
  const made: Partial<EventWebhook> = { id: "e1", provider: "sendgrid", publicKey: "MFkw", secret: null };
  const { user, requests } = renderUi(<WebhooksPage server={server.id} />, {
    ...nothing,
    [`PUT ${path}/event-webhooks/sendgrid`]: made,
  });
  await user.click(await screen.findByRole("button", { name: "New event webhook" }));
  const dialog = within(await screen.findByRole("dialog", { name: "New event webhook" }));
  await user.type(dialog.getByRole("textbox", { name: "URL" }), webhook.url);
  await user.selectOptions(await dialog.findByRole("combobox", { name: "Version" }), "1");
  await user.selectOptions(dialog.getByRole("combobox", { name: "Send the whole mail" }), "Yes");
  await user.type(dialog.getByRole("textbox", { name: "Message stream" }), "out");
  expect(dialog.getByText("messageStream").title).toBe("Name in the API");
  await user.click(dialog.getByRole("button", { name: "Save" }));
  await dialog.findByText("MFkw");
  const sent = requests.find((line) => line.startsWith("PUT")) ?? "";
  expect(JSON.parse(sent.slice(sent.indexOf("{")))).toEqual({
    url: webhook.url,
    settings: { version: "1", raw: "true", messageStream: "out" },
  });
});

test("pauses, pings and deletes a webhook, and marks a disabled one with its reason", async () => {
  const disabled: Webhook = {
    ...webhook,
    id: "w2",
    state: "disabled",
    stateReason: "Responded 410",
    description: "Old",
  };
  const { user, requests } = renderUi(<WebhooksPage server={server.id} />, {
    ...nothing,
    [`GET ${path}/webhooks`]: [webhook, disabled],
    [`PUT ${path}/webhooks/w1`]: webhook,
    [`POST ${path}/webhooks/w1/ping`]: delivery,
    [`DELETE ${path}/webhooks/w1`]: new Response(null, { status: 204 }),
  });
  expect((await screen.findByText("Disabled")).title).toBe("Responded 410");
  const select = async (action: string): Promise<void> => {
    await user.click(screen.getByRole("button", { name: "Actions of message.received" }));
    await user.click(await screen.findByRole("menuitem", { name: action }));
  };
  await select("Pause");
  await select("Send test event");
  await screen.findByText("Test event queued");
  await select("Delete…");
  const dialog = within(await screen.findByRole("dialog", { name: "Delete message.received?" }));
  await user.click(dialog.getByRole("button", { name: "Delete" }));
  await screen.findByText("Deleted");
  expect(requests.filter((line) => !line.startsWith("GET"))).toEqual([
    `PUT ${path}/webhooks/w1 {"state":"paused"}`,
    `POST ${path}/webhooks/w1/ping {}`,
    `DELETE ${path}/webhooks/w1`,
  ]);
});

test("shows the request of a failed delivery and delivers it again", async () => {
  const { user, requests } = renderUi(<WebhooksPage server={server.id} />, {
    ...nothing,
    [`GET ${path}/deliveries`]: [delivery],
    [`GET ${path}/deliveries/d1`]: delivery,
    [`POST ${path}/deliveries/d1/replay`]: delivery,
    [`POST ${path}/deliveries/replay`]: { replayed: 1 },
  });
  const row = within(await screen.findByRole("row", { name: /message\.received/ }));
  row.getByText("500: The receiver responded with status 500");
  await user.click(row.getByRole("button", { name: "Details" }));
  const dialog = within(await screen.findByRole("dialog", { name: "message.received" }));
  expect(dialog.getByLabelText("Request").textContent).toContain("webhook-id: d1");
  await user.click(dialog.getByRole("button", { name: "Redeliver" }));
  await screen.findByText("Redelivery queued");
  await user.keyboard("{Escape}");
  await user.click(screen.getByRole("button", { name: "Failed" }));
  await user.click(await screen.findByRole("button", { name: "Redeliver all failed" }));
  await expect
    .poll(() => requests.filter((line) => line.startsWith("POST")))
    .toEqual([`POST ${path}/deliveries/d1/replay {}`, `POST ${path}/deliveries/replay {}`]);
});

test("offers no actions to a key that may only read", async () => {
  const responses = { ...nothing, [`GET ${path}/webhooks`]: [webhook], [`GET ${path}/deliveries`]: [delivery] };
  const { user } = renderUi(
    <WebhooksPage server={server.id} />,
    { ...responses, [`GET ${path}/deliveries/d1`]: delivery },
    readOnlySession,
  );
  await screen.findByText(webhook.url);
  await user.click(await screen.findByRole("button", { name: "Failed" }));
  await user.click(await screen.findByRole("button", { name: "Details" }));
  await screen.findByText(/POST http/);
  for (const name of [/^New /, /^Actions of/, /Redeliver/]) expect(screen.queryByRole("button", { name })).toBeNull();
});
