import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { message } from "../testing/samples.ts";
import type { Attachment, Conversation, Turn } from "../wire.ts";
import { AttachmentsView } from "./attachments/attachments-view.tsx";
import { tabItems } from "./message-tabs.ts";
import { HtmlView } from "./content/html-view.tsx";
import { PhrasePicker } from "./content/conversation-view.tsx";
import { PreviewsView } from "./checks/previews-view.tsx";
import { SourceView } from "./source/source-view.tsx";
import { printMessage } from "./print.tsx";

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
