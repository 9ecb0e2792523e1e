import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../../testing/render-ui.tsx";
import type { Scan } from "../../wire.ts";
import { ScanView } from "./delivery-view.tsx";

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
