import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { problem, renderUi } from "../testing/render-ui.tsx";
import { accountSession, message, server } from "../testing/samples.ts";
import { MessageHead } from "./message-head.tsx";
import type { Message } from "../wire.ts";
import { MessageTools } from "./message-tools.tsx";
import { ReleaseDialog } from "./dialogs/release-dialog.tsx";

const sent = { ...message(), id: "s1", subject: "Sent" };

function head() {
  return (
    <MessageHead
      message={message({ id: "head1" })}
      sizeBytes={4200}
      deliveryHref="/d"
      attachmentsHref="/a"
      tools={null}
      onBack={() => {}}
    />
  );
}

test("hides the details of the header, in messages that are opened later too", async () => {
  const responses = { "GET /api/messages/head1/marks": { flags: [], tags: ["beta"] } };
  const { user } = renderUi(head(), responses);
  const button = screen.getByRole("button", { name: /Header details/ });
  expect(button.getAttribute("aria-expanded")).toBe("true");
  await screen.findByRole("link", { name: "beta" });
  screen.getByText("4.2 kB");
  await user.click(button);
  expect(button.getAttribute("aria-expanded")).toBe("false");
  expect(screen.queryByText("Received")).toBeNull();
  // The lines that remain have the time and the size.
  expect(document.querySelector("time")?.dateTime).toBe(message().received);
  screen.getByText("4.2 kB");
  renderUi(head(), responses);
  expect(screen.getAllByRole("button", { name: /Header details/, expanded: false })).toHaveLength(2);
});

test.each([0, undefined])("shows no size of a message without raw bytes, or before it is known (%s)", (sizeBytes) => {
  const responses = { "GET /api/messages/head2/marks": { flags: [], tags: [] } };
  renderUi(
    <MessageHead
      message={message({ id: "head2" })}
      sizeBytes={sizeBytes}
      deliveryHref="/d"
      attachmentsHref="/a"
      tools={null}
      onBack={() => {}}
    />,
    responses,
  );
  expect(screen.queryByText(/\d k?B$/)).toBeNull();
});

test("names the attachments, without images of the HTML, and links to all of them", () => {
  const file = (number: number, fileName: string, contentId: string | null = null): Message["attachments"][number] => ({
    id: `file${number}`,
    contentType: "application/pdf",
    length: 4200,
    url: "",
    fileName,
    contentId,
  });
  const attachments = [
    file(0, "logo.png", "logo"),
    ...Array.from({ length: 14 }, (_, at) => file(at + 1, `${at + 1}.pdf`)),
  ];
  const images = [{ src: "cid:logo", alt: "" }];
  const html = { ...message().html, images };
  renderUi(
    <MessageHead
      message={message({ id: "head3", attachments, html })}
      sizeBytes={4200}
      deliveryHref="/d"
      attachmentsHref="/a"
      tools={null}
      onBack={() => {}}
    />,
    { "GET /api/messages/head3/marks": { flags: [], tags: [] } },
  );
  const links = within(screen.getByRole("list", { name: "Attachments" })).getAllByRole("link");
  expect(links.map((link) => link.textContent)).toEqual([
    ...Array.from({ length: 12 }, (_, at) => `${at + 1}.pdf4.2 kB`),
    "and 2 more",
  ]);
  expect(links.every((link) => link.getAttribute("href") === "/a")).toBe(true);
});

test.each([
  ["bounces@app.example", "bounces@app.example"],
  ["", "<> (null sender)"],
  [null, null],
])("shows the Return-Path of the envelope sender %j as %j", (mailFrom, shown) => {
  const metadata = { ...message().metadata, mailFrom };
  renderUi(
    <MessageHead
      message={message({ id: "head4", metadata })}
      sizeBytes={0}
      deliveryHref="/d"
      attachmentsHref="/a"
      tools={null}
      onBack={() => {}}
    />,
    { "GET /api/messages/head4/marks": { flags: [], tags: [] } },
  );
  expect(screen.queryByText("Return-Path")?.nextElementSibling?.textContent ?? null).toBe(shown);
});

test("stars a message, and removes the star", async () => {
  const tools = (
    <MessageTools
      server={server.id}
      message={message({ id: "star1" })}
      onClose={() => {}}
      onStep={() => {}}
      onDelete={() => {}}
    />
  );
  const { user, requests } = renderUi(tools, {
    "GET /api/messages/star1/marks": { flags: ["flagged"], tags: [] },
    "POST /api/messages/marks": { changed: 1 },
  });
  await user.click(await screen.findByRole("button", { name: "Star", pressed: true }));
  await screen.findByRole("button", { name: "Star", pressed: false });
  await waitFor(() => {
    expect(requests).toContain(
      `POST /api/messages/marks?server=${server.id} {"ids":["star1"],"removeFlags":["flagged"]}`,
    );
  });
});

test("offers no marks for a key that may only read", async () => {
  const tools = (
    <MessageTools
      server={server.id}
      message={message({ type: "SMS" })}
      onClose={() => {}}
      onStep={() => {}}
      onDelete={() => {}}
    />
  );
  const { user } = renderUi(
    tools,
    { "GET /api/messages/m1/marks": { flags: [], tags: [] } },
    { ...accountSession, scope: "read" },
  );
  await user.click(await screen.findByRole("button", { name: "Actions" }));
  const items = await screen.findAllByRole("menuitem");
  expect(items.map(({ textContent }) => textContent)).toEqual(["Print", "Download bundle (ZIP)"]);
  expect(screen.queryByRole("button", { name: "Star" })).toBeNull();
});

test("releases an email to several addresses, and offers to verify one that is not verified", async () => {
  let isVerified = false;
  const { user, requests } = renderUi(<ReleaseDialog message={message()} onClose={() => {}} />, {
    "GET /api/verified-addresses": [{ id: "v1", address: "owner@outside.example", status: "Verified" }],
    "POST /api/messages/m1/release": () => (isVerified ? sent : problem(400, "b@outside.example is not verified")),
  });
  await user.type(screen.getByLabelText(/^To/), "owner@outside.example, b@outside.example");
  await screen.findByText(/^b@outside.example is not verified/);
  await user.click(screen.getByRole("button", { name: "Release" }));
  expect((await screen.findByRole("alert")).textContent).toContain("b@outside.example is not verified");
  isVerified = true;
  await user.click(screen.getByRole("button", { name: "Release" }));
  await screen.findByText("Released");
  expect(requests.at(-1)).toMatch(
    /^(?:GET .*|POST \/api\/messages\/m1\/release \{"to":\["owner@outside.example","b@outside.example"\]\})$/,
  );
});

test("names the recipients of a released email that its header does not have", () => {
  const contact = (email: string) => ({ name: "", email, phone: null });
  const released = message({
    id: "head4",
    to: [contact("Customer@shop.example")],
    delivery: { status: "Delivered", attempts: 1, lastError: null } as never,
    metadata: { ...message().metadata, rcptTo: [contact("customer@shop.example"), contact("owner@corp.example")] },
  });
  const responses = { "GET /api/messages/head4/marks": { flags: [], tags: [] } };
  renderUi(
    <MessageHead
      message={released}
      sizeBytes={4200}
      deliveryHref="/d"
      attachmentsHref="/a"
      tools={null}
      onBack={() => {}}
    />,
    responses,
  );
  expect(screen.getByText("Delivered to").nextElementSibling?.textContent).toBe("owner@corp.example");
});
