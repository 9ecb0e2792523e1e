import { screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { problem, renderUi } from "../../testing/render-ui.tsx";
import { ChecksView } from "./checks-view.tsx";

const pass = { result: "Pass", description: "", rawValue: "" };
const deliverability = {
  spf: pass,
  dkim: [],
  dmarc: pass,
  arc: pass,
  bimi: pass,
  blockLists: [],
  dns: "off",
  spamAssassin: { result: "Pass", engine: "built-in", rules: [] },
};

describe("ChecksView", () => {
  test("shows one report when the other fails, and that DNS lookups are disabled", async () => {
    renderUi(<ChecksView id="m1" />, {
      "GET /api/analysis/lint/m1": problem(503, "Retry later"),
      "GET /api/analysis/deliverability/m1": deliverability,
    });
    await screen.findByText(/DNS lookups are disabled/);
    // A group that passed and has no findings has no section.
    await screen.findByText("Spam: Passed");
    expect(screen.queryByRole("region", { name: /Spam/ })).toBeNull();
    expect(screen.getByRole("alert").textContent).toContain("Retry later");
    screen.getByRole("heading", { name: "1 of 1 groups passed" });
  });

  test("shows the score, and what a rule requires with a link to it", async () => {
    const finding = {
      rule: "from",
      severity: "error",
      category: "headers",
      message: "There is no From",
      subject: null,
    };
    const rule = { rule: "from", meaning: "There is `From`.", url: "https://rules.example/from" };
    renderUi(<ChecksView id="m1" />, {
      "GET /api/analysis/lint/m1": { findings: [finding], counts: { error: 1, warning: 0, info: 0 }, rules: [rule] },
      "GET /api/analysis/deliverability/m1": {
        ...deliverability,
        dns: "fixtures",
        dkim: [{ ...pass, result: "Fail", description: "The body was changed." }],
      },
    });
    await screen.findByRole("heading", { name: "5 of 7 groups passed" });
    within(screen.getByRole("region", { name: /^Content/ })).getByText("From", { selector: "code" });
    expect(screen.getByRole("link", { name: "About from" }).getAttribute("href")).toBe(rule.url);
    screen.getByText("DKIM signature failed");
    expect(screen.getByRole("link", { name: "About DKIM signature" }).getAttribute("href")).toContain("rfc6376");
  });

  test("shows results about the sender in grey when only the resolver of the machine gave them", async () => {
    renderUi(<ChecksView id="m1" />, {
      "GET /api/analysis/lint/m1": { findings: [], counts: { error: 0, warning: 0, info: 0 }, rules: [] },
      "GET /api/analysis/deliverability/m1": { ...deliverability, dns: "system", spf: { ...pass, result: "Fail" } },
    });
    await screen.findByRole("heading", { name: "6 of 6 groups passed" });
    const group = within(screen.getByRole("region", { name: /^Authentication/ }));
    group.getByText(/set a DNS zone/);
    const item = group.getByText("SPF failed").closest("li");
    expect(item?.querySelector("[data-result]")?.getAttribute("data-result")).toBe("Timeout");
  });

  test("puts groups with problems first, errors above suggestions, and shows how much each client supports", async () => {
    const found = (category: string, severity: string, message: string) => ({
      rule: message,
      severity,
      category,
      message,
      subject: null,
    });
    const findings = [
      found("headers", "info", "A suggestion"),
      found("links", "warning", "A warning"),
      found("links", "error", "An error"),
      found("compatibility", "info", "Partial"),
    ];
    const feature = (title: string, unsupported: readonly string[], partial: readonly string[]) => ({
      title,
      url: `https://www.caniemail.com/${title}`,
      unsupported,
      partial,
    });
    const { user } = renderUi(<ChecksView id="m1" />, {
      "GET /api/analysis/lint/m1": { findings, counts: { error: 1, warning: 1, info: 2 }, rules: [] },
      "GET /api/analysis/deliverability/m1": deliverability,
      "GET /web/messages/m1/compatibility": {
        features: [feature("flex", ["Outlook"], []), feature("svg", [], ["Gmail"])],
        clients: ["Apple Mail", "Gmail", "Outlook"],
        shares: [
          { name: "Outlook", share: 0.75 },
          { name: "Gmail", share: 0.875 },
          { name: "Apple Mail", share: 1 },
        ],
        featureCount: 100,
        usedCount: 4,
        elementCount: 9,
      },
    });
    await screen.findByText("87 % of what the email uses is supported, on average of 3 email clients (caniemail.com).");
    expect(screen.getAllByRole("region").flatMap((region) => region.querySelector("h3")?.textContent ?? [])).toEqual([
      "LinksProblems",
      "ContentPassed",
      "Email clientsPassed",
      "AuthenticationNot checked",
    ]);
    const links = within(screen.getByRole("region", { name: /^Links/ })).getAllByRole("listitem");
    expect(links.map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining("An error"),
      expect.stringContaining("A warning"),
    ]);
    const shares = screen.getAllByRole("meter").map((meter) => [meter.ariaLabel, meter.getAttribute("value")]);
    expect(shares).toEqual([
      ["Outlook", "0.75"],
      ["Gmail", "0.875"],
      ["Apple Mail", "1"],
    ]);
    await user.selectOptions(screen.getByLabelText("Problems in"), "Outlook");
    screen.getByRole("link", { name: "flex" });
    expect(screen.queryByRole("link", { name: "svg" })).toBeNull();
    await user.selectOptions(screen.getByLabelText("Problems in"), "Apple Mail");
    screen.getByText("Apple Mail supports everything that the email uses.");
  });
});
