import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { message } from "../testing/samples.ts";
import type { Attachment, Conversation, Turn } from "../wire.ts";
import { AttachmentsView } from "./attachments/attachments-view.tsx";
import { tabItems } from "./message-tabs.ts";
import { ChecksView } from "./checks/checks-view.tsx";
import { HtmlView } from "./content/html-view.tsx";
import { PhrasePicker } from "./content/conversation-view.tsx";
import { PreviewsView } from "./checks/previews-view.tsx";
import { SourceView } from "./source/source-view.tsx";
import { printMessage } from "./print.tsx";

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
        dns: "system",
        dkim: [{ ...pass, result: "Fail", description: "The body was changed." }],
      },
    });
    await screen.findByRole("heading", { name: "5 of 7 groups passed" });
    within(screen.getByRole("region", { name: /^Content/ })).getByText("From", { selector: "code" });
    expect(screen.getByRole("link", { name: "About from" }).getAttribute("href")).toBe(rule.url);
    screen.getByText("DKIM signature failed");
    expect(screen.getByRole("link", { name: "About DKIM signature" }).getAttribute("href")).toContain("rfc6376");
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

describe("HtmlView", () => {
  test("displays a heavy message only on request", async () => {
    const heavy = message({ html: { body: "x".repeat(1_000_001), links: [], codes: [], images: [] } });
    const { user } = renderUi(<HtmlView message={heavy} toolbar={null} />, { "POST /web/tickets": { url: "/signed" } });
    await user.click(screen.getByRole("button", { name: "Show anyway" }));
    expect((await screen.findByTitle("Email content")).getAttribute("src")).toBe("/signed");
  });

  test("prints a page of its own, which is loaded for Ctrl+P and then again for the control", async () => {
    renderUi(<HtmlView message={message()} toolbar={null} />, {
      "POST /web/tickets": { url: "/signed" },
    });
    expect(screen.queryByTitle("Email for printing")).toBeNull();
    const press = new KeyboardEvent("keydown", { key: "p", ctrlKey: true, cancelable: true });
    act(() => {
      dispatchEvent(press);
    });
    expect(press.defaultPrevented).toBe(true);
    const frame = await screen.findByTitle("Email for printing");
    expect(frame.getAttribute("sandbox")).toBe("allow-same-origin allow-modals");
    act(printMessage);
    await waitFor(() => {
      expect(screen.getByTitle("Email for printing")).not.toBe(frame);
    });
  });

  test("shows why a frame cannot be loaded", async () => {
    renderUi(<HtmlView message={message()} toolbar={null} />, { "POST /web/tickets": problem(503, "Retry later") });
    expect((await screen.findByRole("alert")).textContent).toContain("Retry later");
  });
});

describe("AttachmentsView", () => {
  test("replaces an image that cannot be decoded, and shows why a file cannot be saved", async () => {
    const image = { id: "a1", fileName: "a.png", contentType: "image/png", contentId: null, length: 10 } as Attachment;
    let isUp = true;
    const { user } = renderUi(<AttachmentsView message={message({ attachments: [image] })} />, {
      "POST /web/tickets": () => (isUp ? { url: "/signed" } : problem(503, "Retry later")),
    });
    fireEvent.error(await screen.findByRole("img", { name: "a.png" }));
    await screen.findByText("No preview: the file is not a valid image.");
    isUp = false;
    await user.click(screen.getByRole("button", { name: "Download" }));
    await screen.findByText("Retry later");
  });

  test("counts inline images apart, as the tab does", () => {
    const file = (id: string, contentId: string | null) =>
      ({ id, fileName: id, contentType: "application/zip", contentId, length: 10 }) as Attachment;
    const images = [{ src: "cid:logo", alt: "" }];
    const html = { body: "<img src=cid:logo>", links: [], codes: [], images };
    const attachments = [file("a1", "logo"), file("a2", null)];
    renderUi(<AttachmentsView message={message({ html, attachments })} />, {});
    screen.getByRole("button", { name: "Download all (ZIP)" });
    screen.getByText("1 attachment, 1 inline image");
    const [tab] = tabItems(message({ html, attachments }), { turnCount: 1, requested: null }).filter(
      ({ name }) => name === "attachments",
    );
    expect(tab?.count).toBe(1);
  });
});

describe("SourceView", () => {
  test("shows the source or its decoded HTML, and leaves the focus on the choice", async () => {
    const html = { body: "<p>Terms</p>", links: [], codes: [], images: [] };
    const { user } = renderUi(<SourceView message={message({ html })} />, {
      "GET /api/files/email/m1": () => new Response("Subject: Terms"),
    });
    await screen.findByText("Subject", { exact: false });
    const choice = screen.getByRole("button", { name: "HTML" });
    choice.focus();
    await user.keyboard("{Enter}");
    await screen.findByLabelText("HTML source");
    expect(document.activeElement).toBe(choice);
    expect(choice.getAttribute("aria-pressed")).toBe("true");
    screen.getByRole("button", { name: /HTML source/ });
  });
});

describe("PreviewsView", () => {
  const client = {
    label: "gmail",
    name: "Gmail, web",
    group: "Web",
    viewport: { width: 1000, height: 800 },
    dark: "no",
    images: "shown",
    emulates: "CSS",
  };

  test("renders what comes into view, together, says how far it is, and steps through the large ones", async () => {
    const rendered = Promise.withResolvers<Response>();
    const yahoo = { ...client, label: "yahoo", name: "Yahoo, web" };
    const { user, requests } = renderUi(<PreviewsView id="m1" />, {
      "GET /api/screenshots/clients": { items: [client, yahoo] },
      "POST /api/messages/m1/screenshots": {
        items: [
          { emailClient: "gmail", id: "p1" },
          { emailClient: "yahoo", id: "p2" },
        ],
      },
      "GET /api/files/screenshots/p1": new Response("png"),
      "GET /api/files/screenshots/p2": async () => rendered.promise,
      "POST /web/tickets": { url: "/signed" },
    });
    await screen.findByText("1 of 2 rendered");
    expect(requests.filter((line) => line.startsWith("POST /api/"))).toEqual([
      'POST /api/messages/m1/screenshots {"emailClients":["gmail","yahoo"]}',
    ]);
    rendered.resolve(new Response("png"));
    await screen.findByText("All 2 rendered");
    await user.click(screen.getByRole("button", { name: "Enlarge Gmail, web" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Gmail, web" }));
    dialog.getByText("1 of 2");
    await user.click(dialog.getByRole("button", { name: "Next preview" }));
    await screen.findByRole("dialog", { name: "Yahoo, web" });
    await user.keyboard("{ArrowRight}");
    await screen.findByRole("dialog", { name: "Gmail, web" });
    await user.keyboard("{ArrowLeft}");
    await screen.findByRole("dialog", { name: "Yahoo, web" });
  });

  test("shows why previews cannot be rendered, and renders them on another try", async () => {
    let isUp = false;
    const { user } = renderUi(<PreviewsView id="m1" />, {
      "GET /api/screenshots/clients": { items: [client] },
      "POST /api/messages/m1/screenshots": () =>
        isUp ? { items: [{ emailClient: "gmail", id: "p1" }] } : problem(503, "Set RESTANTE_CHROMIUM"),
      "GET /api/files/screenshots/p1": new Response("png"),
      "POST /web/tickets": { url: "/signed" },
    });
    await screen.findByText(/RESTANTE_CHROMIUM/);
    expect(screen.queryByText("Rendering…")).toBeNull();
    isUp = true;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("All 1 rendered");
    expect(screen.queryByText(/RESTANTE_CHROMIUM/)).toBeNull();
  });
});

describe("PhrasePicker", () => {
  const turn = {
    id: "m1",
    direction: "Received",
    to: [{ name: "", email: null, phone: "+15550144" }],
  } as unknown as Turn;
  const answers = (hasWebhook: boolean): NonNullable<Conversation["answers"]> => ({
    hasWebhook,
    phrases: ["YES", "NO"],
  });

  test("explains that replies need a webhook", () => {
    renderUi(<PhrasePicker server="shop1234" turns={[turn]} answers={answers(false)} />, {});
    screen.getByText(/\+15550144 has no webhook/);
    expect(screen.queryByRole("button")).toBeNull();
  });

  test("shows nothing when only sent messages exist", () => {
    renderUi(<PhrasePicker server="shop1234" turns={[]} answers={answers(true)} />, {});
    expect(screen.queryByRole("group", { name: "Approved phrases" })).toBeNull();
  });

  test("shows why a reply is rejected", async () => {
    const { user } = renderUi(<PhrasePicker server="shop1234" turns={[turn]} answers={answers(true)} />, {
      "POST /api/messages/m1/reply": problem(422, "The phrase is not approved"),
    });
    await user.click(screen.getByRole("button", { name: "Send YES" }));
    expect((await screen.findByRole("alert")).textContent).toContain("not approved");
  });
});
