import { screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { problem, renderUi } from "../../testing/render-ui.tsx";
import { accountSession, message } from "../../testing/samples.ts";
import type { Scan } from "../../wire.ts";
import { DeliveryView, ScanView } from "./delivery-view.tsx";

const url = "http://127.0.0.1:3000/sign-in?token=1";
const scan: Scan = {
  profile: "safelinks",
  when: "before",
  result: "partial",
  started: "2026-11-20T10:42:07.975Z",
  finished: "2026-11-20T10:42:07.999Z",
  urlCount: 3,
  skippedCount: 1,
  omittedCount: 2,
  requests: [
    {
      method: "HEAD",
      resource: null,
      url,
      status: 302,
      durationMs: 8,
      redirect: "http://127.0.0.1:3000/in",
      error: null,
    },
    { method: "GET", resource: "document", url, status: null, durationMs: 0, redirect: null, error: "Not rendered" },
  ],
};

test("lists the requests of a scan with their responses", async () => {
  renderUi(<ScanView id="m1" />, { "GET /api/messages/m1/scan": { ...scan } });
  await screen.findByText(/Safe Links, before the email was visible, /);
  screen.getByText("The scan reached a limit: 1 of 3 URLs not requested.");
  screen.getByText("2 requests are not listed.");
  const [, head, get] = screen.getAllByRole("row").map((row) => within(row).queryAllByRole("cell"));
  const texts = (cells: readonly HTMLElement[] | undefined) => cells?.map(({ textContent }) => textContent);
  expect(texts(head)).toEqual([`HEAD ${url}`, "", "302", "8 ms", "Redirect to http://127.0.0.1:3000/in"]);
  expect(texts(get)).toEqual([`GET ${url}`, "document", "", "0 ms", "Not rendered"]);
});

test.each([
  ["skipped", "Not scanned: too many emails were waiting."],
  ["quarantined", "Quarantined: attempts to scan it ended the service; retry by hand."],
])("says why a mail was not scanned: %s", async (result, text) => {
  const unmade = { ...scan, result, omittedCount: 0, requests: [] };
  renderUi(<ScanView id="m1" />, { "GET /api/messages/m1/scan": unmade });
  await screen.findByText(text);
  expect(screen.queryByRole("table")).toBeNull();
});

test("shows why a scan cannot be loaded", async () => {
  renderUi(<ScanView id="m2" />, { "GET /api/messages/m2/scan": problem(500, "Internal error") });
  expect((await screen.findByRole("alert")).textContent).toContain("Internal error");
});

/** Trace of a message without session, transcript and scan. */
const bare = { session: null, hasTranscript: false, hasScan: false, sizeBytes: 10, root: null };

describe("DeliveryView", () => {
  const session = { ehlo: null, clientAddress: "127.0.0.1", protocol: "ESMTPS", tls: null, authenticatedAs: null };
  const noEnvelope = { headers: [], ehlo: null, mailFrom: null, rcptTo: [] };
  const provider = { name: "acme", id: "1", tags: [], metadata: {}, template: null, scheduledAt: null };
  const sent = { delivery: { status: "Failed", attempts: 3, lastError: "550 5.1.1 User unknown" } };
  const late = {
    ...message().metadata,
    accepted: "2026-01-01T10:00:00.000Z",
    faults: [{ rule: "slow", stage: "data" }],
  };

  /** Every way in which a message comes, with the headings and some pairs of its view. */
  const arrivals = [
    ["SMTP", {}, { session: { ...session, ehlo: "mx.app.example" } }, ["SMTP session"], ["EHLO", "app@example.com"]],
    ["LMTP", {}, { session: { ...session, protocol: "LMTP" } }, ["LMTP session"], ["Client"]],
    [
      "the API of another mail catcher",
      {},
      { session: { ...session, protocol: "HTTP" } },
      ["HTTP request"],
      ["Client"],
    ],
    ["the API of a provider", { provider }, {}, ["Sent through acme", "Envelope"], ["Envelope recipient"]],
    ["a schedule", { provider, metadata: late }, {}, ["Sent through acme", "Envelope"], ["Accepted", "slow (data)"]],
    ["the API", { metadata: noEnvelope }, { hasTranscript: true }, ["HTTP request", "Transcript"], []],
    ["an import", { metadata: noEnvelope, defects: ["missing_date"] }, {}, ["Message", "Problems"], []],
    ["sending", sent, {}, ["Envelope"], ["Failed, 3 attempts", "550 5.1.1 User unknown"]],
    ["an SMS", { type: "SMS", metadata: noEnvelope }, { sizeBytes: 0 }, ["Message"], ["API message ID"]],
  ] as const;

  test.each(arrivals)("describes a message that came by %s", async (...arrival) => {
    const [, change, trace, headings, texts] = arrival;
    renderUi(<DeliveryView message={message(change as never)} />, {
      "GET /web/messages/m1/trace": { ...bare, ...trace },
    });
    await screen.findByText("API message ID");
    expect(screen.getAllByRole("heading").map((heading) => heading.textContent)).toEqual(headings);
    for (const text of texts) screen.getByText(text);
    const isSmtp = "session" in trace && trace.session.protocol === "ESMTPS";
    expect(/SMTP|EHLO/.test(document.body.textContent)).toBe(isSmtp);
    expect(screen.queryAllByText("0 B")).toEqual([]);
  });

  test("names a defect that the UI has no text for by its code", async () => {
    const broken = message({ defects: ["missing_date", "from_the_future"] as never });
    renderUi(<DeliveryView message={broken} />, { "GET /web/messages/m1/trace": problem(500, "Internal error") });
    screen.getByText("The Date field is missing (RFC 5322 §3.6).");
    expect(screen.getAllByText("from_the_future")).toHaveLength(2);
    await screen.findByText(/Internal error/);
  });
});

describe("DeliveryView of a message with an SMTP session", () => {
  const session = { ehlo: "x", clientAddress: "127.0.0.1", protocol: "ESMTP", tls: null, authenticatedAs: null };
  const trace = (hasTranscript: boolean) => ({
    "GET /web/messages/m1/trace": { session, sizeBytes: 10, root: null, hasTranscript, hasScan: false },
  });

  test("shows the transcript with times and speakers", async () => {
    const entries = [
      { at: 0, from: "server", text: "220 mx.test ESMTP", pipelined: false },
      { at: 12, from: "client", text: "AUTH PLAIN [masked]", pipelined: false },
      { at: 1500, from: "client", text: "DATA", pipelined: true },
    ];
    renderUi(<DeliveryView message={message()} />, {
      ...trace(true),
      "GET /api/messages/m1/transcript": { entries },
    });
    expect((await screen.findByText(/220 mx.test ESMTP/)).textContent.split("\n")).toEqual([
      "     0 ms  S: 220 mx.test ESMTP",
      "    12 ms  C: AUTH PLAIN [masked]",
      "  1500 ms  C+ DATA",
    ]);
  });

  test("says that no transcript was recorded", async () => {
    const { requests } = renderUi(<DeliveryView message={message()} />, trace(false));
    await screen.findByText("No transcript was recorded.");
    expect(requests).toEqual(["GET /web/messages/m1/trace"]);
  });
});

describe("DeliveryView of a message from a provider's API", () => {
  const provider = {
    name: "acme",
    id: "msg-1",
    tags: ["welcome", "eu"],
    metadata: { user_id: "42" },
    template: { id: "d-1", data: { name: "Zoë" } },
    scheduledAt: "2026-01-01T10:00:00.000Z",
  };

  test("shows the label of the provider, ids, schedule, tags, metadata and the data of the template", async () => {
    const session = { ...accountSession, providerLabels: { acme: "Acme Mail" } };
    const trace = { "GET /web/messages/m1/trace": bare };
    renderUi(<DeliveryView message={message({ provider })} />, trace, session);
    await screen.findByRole("heading", { name: "Sent through Acme Mail" });
    for (const text of ["msg-1", "welcome, eu", "user_id", "42", "d-1"]) screen.getByText(text);
    screen.getByText(/"name": "Zoë"/);
  });

  test("shows no template, tags and schedule where there are none", () => {
    const bare = { ...provider, tags: [], metadata: {}, template: null, scheduledAt: null };
    renderUi(<DeliveryView message={message({ provider: bare })} />, {
      "GET /web/messages/m1/trace": bare,
    });
    for (const text of ["Tags", "Scheduled for", "Template"]) expect(screen.queryByText(text)).toBeNull();
  });
});
