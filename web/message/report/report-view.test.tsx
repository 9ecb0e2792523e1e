import { screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { renderUi } from "../../testing/render-ui.tsx";
import type { DmarcReport, MailReports } from "../../wire.ts";
import { ReportView } from "./report-view.tsx";

const none: MailReports = {
  dmarc: [],
  tls: [],
  feedback: [],
  delivery: [],
  disposition: [],
  original: null,
  problems: [],
};
const noPolicy = { sp: null, np: null, adkim: null, aspf: null, pct: null, fo: null };
const show = (reports: Partial<MailReports>) =>
  renderUi(<ReportView id="m1" hrefOf={(id) => `/messages/${id}`} />, {
    "GET /api/analysis/reports/m1": { ...none, ...reports },
  });

describe("ReportView", () => {
  test("shows a DMARC report as a table, and how many records it lacks", async () => {
    const record = {
      sourceIp: "192.0.2.17",
      count: 1200,
      disposition: "none",
      dkim: "pass",
      spf: "fail",
      reasons: [{ type: "forwarded", comment: null }],
      headerFrom: "shop.example",
      envelopeFrom: null,
      envelopeTo: null,
      dkimResults: [{ domain: "shop.example", selector: "s1", scope: null, result: "pass", explanation: null }],
      spfResults: [],
    };
    const report = {
      file: null,
      organization: "google.com",
      begin: "2026-11-27T00:00:00.000Z",
      end: "2026-11-27T23:59:59.000Z",
      errors: [],
      policy: { ...noPolicy, domain: "shop.example", p: "reject", testing: "n" },
      counts: { records: 3, messages: 1200, passed: 1200, quarantined: 0, rejected: 0 },
      records: [record],
    } as unknown as DmarcReport;
    show({ dmarc: [report], problems: [{ file: "b.xml.gz", problem: "Is no complete gzip file" }] });
    const section = await screen.findByRole("region", { name: "DMARC report by google.com" });
    expect(section.textContent).toContain("2026-11-27 00:00 – 2026-11-27 23:59");
    expect(section.textContent).toContain("1,200 messages: 1,200 passed, 0 quarantined, 0 rejected");
    expect(section.textContent).toContain("p=reject; t=n");
    const cells = within(section)
      .getAllByRole("cell")
      .map(({ textContent }) => textContent);
    expect(cells).toEqual(["1,200", "none", "pass", "fail", "shop.example", "DKIM shop.example s1: pass; forwarded"]);
    expect(section.textContent).toContain("2 more are not shown.");
    expect(screen.getByRole("status").textContent).toBe("b.xml.gz: Is no complete gzip file");
  });

  const original = { messageId: "<1@a>", subject: "Your order", from: "a@b.example", to: [], date: null, ids: ["m2"] };

  test("links the message that a report is about", async () => {
    show({ original });
    expect((await screen.findByRole("link", { name: "Open the message" })).getAttribute("href")).toBe("/messages/m2");
  });

  test("says that the message is not on this server", async () => {
    show({ original: { ...original, ids: [] } });
    await screen.findByText("This server has no message with this Message-ID.");
  });

  test("says when there is no report", async () => {
    show({});
    await screen.findByText("The service found no report in this message.");
  });
});
