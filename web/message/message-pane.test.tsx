import { act, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { queryKeys } from "../api/query-keys.ts";
import { renderUi, type Responses } from "../testing/render-ui.tsx";
import { accountSession, message, server } from "../testing/samples.ts";
import type { Message, Turn } from "../wire.ts";
import { MessagePane } from "./message-pane.tsx";

function pane(id: string, listedBytes?: number) {
  const nothing = (): void => {};
  return (
    <MessagePane
      id={id}
      server={server.id}
      listedBytes={listedBytes}
      session={accountSession}
      tab={null}
      hrefOf={(one, tab) => `/${one}/${tab ?? ""}`}
      onOpened={nothing}
      onClose={nothing}
      onStep={nothing}
      onDelete={nothing}
    />
  );
}

function turn(id: string): Turn {
  const { from, to, received } = message();
  const none = { codes: [], attachments: 0, subject: "", text: id };
  return { id, from, to, received, direction: "Received", ...none } as unknown as Turn;
}

function responsesOf(open: Message, turns: () => readonly Turn[]): Responses {
  return {
    [`GET /api/messages/${open.id}`]: { ...open },
    [`GET /api/messages/${open.id}/marks`]: { flags: ["seen"], tags: [] },
    [`GET /api/servers/${server.id}/tags`]: [],
    [`GET /web/messages/${open.id}/conversation`]: () => ({ turns: turns(), answers: null }),
    [`GET /web/glances?ids=${open.id}`]: [{ id: open.id, sizeBytes: 5300 }],
    "POST /web/tickets": { url: "/signed" },
    "POST /api/messages/marks": { changed: 0 },
  };
}

test("counts the messages of a conversation that it shows", async () => {
  const sms = message({ id: "pane1", type: "SMS", html: { body: null, links: [], codes: [], images: [] } });
  const { cache } = renderUi(
    pane("pane1"),
    responsesOf(sms, () => [turn("a"), turn("b"), turn("pane1")]),
  );
  const list = await screen.findByRole("list", { name: "Conversation" });
  screen.getByRole("button", { name: "Conversation 3", pressed: true });
  expect(within(list).getAllByRole("listitem")).toHaveLength(3);
  cache.clear();
});

test("shows the conversation of an email once there is a reply", async () => {
  let turns = [turn("pane2")];
  const { cache } = renderUi(
    pane("pane2"),
    responsesOf(message({ id: "pane2" }), () => turns),
  );
  await screen.findByRole("button", { name: "HTML" });
  expect(screen.queryByRole("button", { name: /Conversation/ })).toBeNull();
  turns = [...turns, turn("reply")];
  await act(async () => cache.invalidateQueries({ queryKey: queryKeys.conversations }));
  await screen.findByRole("button", { name: "Conversation 2" });
});

test("keeps the focus in the message when it is loaded", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const open = message({ id: "pane3" });
  const { user } = renderUi(pane("pane3"), {
    ...responsesOf(open, () => []),
    "GET /api/messages/pane3": async () => promise,
  });
  await user.tab();
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Back to the list");
  resolve(new Response(JSON.stringify(open)));
  await screen.findByRole("heading", { name: "Subject 1" });
  await waitFor(() => {
    expect(document.activeElement?.closest("article")).not.toBeNull();
  });
});

test("loads the size of a message that the list does not have", async () => {
  renderUi(
    pane("pane4"),
    responsesOf(message({ id: "pane4" }), () => []),
  );
  await screen.findByText("5.3 kB");
  const { requests } = renderUi(
    pane("pane5", 6400),
    responsesOf(message({ id: "pane5" }), () => []),
  );
  await screen.findByText("6.4 kB");
  expect(requests.filter((line) => line.includes("glances"))).toEqual([]);
});

test("shows the score of the checks on their tab once it is known, and does no checks for it", async () => {
  const { cache, requests } = renderUi(
    pane("pane6", 1),
    responsesOf(message({ id: "pane6" }), () => []),
  );
  const tab = await screen.findByRole("tab", { name: "Checks" });
  const rule = { category: "links", severity: "warning" };
  act(() => {
    cache.setQueryData(queryKeys.lint("pane6"), { findings: [rule], counts: {}, rules: [] });
    const passed = { result: "Pass" };
    const senders = { spf: passed, dkim: [], dmarc: passed, arc: passed, bimi: passed, blockLists: [] };
    cache.setQueryData(queryKeys.deliverability("pane6"), { ...senders, spamAssassin: passed, dns: "off" });
  });
  await waitFor(() => {
    expect(tab.textContent).toBe("Checks4/5");
  });
  expect(requests.filter((line) => line.includes("/analysis/"))).toEqual([]);
});
