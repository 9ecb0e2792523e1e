import { screen } from "@testing-library/react";
import { useRef, useState, type ReactElement } from "react";
import { expect, test, vi } from "vitest";
import type { MessagePage } from "../api/messages.ts";
import { renderUi } from "../testing/render-ui.tsx";
import type { SearchedText } from "../shared/use-highlights.ts";
import { summary } from "../testing/samples.ts";
import { MessageRows } from "./message-rows.tsx";
import { joinPages } from "./sparse-list.ts";
import type { MessageList } from "./use-message-list.ts";
import { useSelection } from "./use-selection.ts";

const terms: readonly SearchedText[] = [{ operator: null, text: "INV" }];
const ignoreTag = (): void => undefined;
const ignoreStar = (): void => undefined;
const rendered: string[] = [];
vi.mock(import("../shared/age.tsx"), () => ({
  useNow: () => 0,
  Age: ({ instant }) => {
    rendered.push(instant);
    return <time>{instant}</time>;
  },
}));

const page: MessagePage = { items: [summary(3), summary(2), summary(1)], total: 3, hasMore: false, cursor: 1 };
const excerpt = { id: "m2", codes: [], sizeBytes: 10, inline: 0, flags: [], tags: [], sequence: 0 };
const excerpts = new Map([["m2", { ...excerpt, providerTags: [], files: ["logo.png", "invite.ics"] }]]);
const sparse = joinPages(new Map([[0, page]]), new Set());

function Rows({ isSent = false }: { readonly isSent?: boolean }): ReactElement {
  const [openId, setOpenId] = useState<string | null>(null);
  const selection = useSelection(sparse, "");
  const focusRef = useRef<(row: number) => void>(() => undefined);
  const list: MessageList = {
    ...sparse,
    isPending: false,
    error: null,
    retry: () => {},
    excerpts,
    sharedDomain: "",
    loadRows: () => {},
  };
  return (
    <>
      <button type="button" onClick={() => setOpenId("m2")}>
        Open
      </button>
      <MessageRows
        list={list}
        selection={selection}
        terms={terms}
        openId={openId}
        currentId={openId}
        marksOf={() => undefined}
        onStar={ignoreStar}
        onTag={ignoreTag}
        hrefOf={(id) => `/${id}`}
        isSent={isSent}
        isWide
        focusRef={focusRef}
      />
    </>
  );
}

test("renders only the rows that change when a message is selected or opened", async () => {
  const { user } = renderUi(<Rows />, {});
  const box = await screen.findByRole("checkbox", { name: "Select Subject 1" });
  rendered.length = 0;
  await user.click(box);
  // The row that was clicked, and the one that the Tab key reached before.
  expect(new Set(rendered)).toEqual(new Set([summary(1).received, summary(3).received]));
  rendered.length = 0;
  await user.click(screen.getByRole("button", { name: "Open" }));
  expect(new Set(rendered)).toEqual(new Set([summary(2).received]));
});

test("selects a range with the shift key", async () => {
  const { user } = renderUi(<Rows />, {});
  await user.click(await screen.findByRole("checkbox", { name: "Select Subject 3" }));
  await user.keyboard("{Shift>}");
  await user.click(screen.getByRole("checkbox", { name: "Select Subject 1" }));
  expect(screen.getAllByRole("checkbox", { checked: true })).toHaveLength(3);
});

test("has one row that the Tab key reaches: the one that had the focus last", async () => {
  const { user } = renderUi(<Rows />, {});
  await screen.findByRole("checkbox", { name: "Select Subject 3" });
  const stops = (): readonly (string | null | undefined)[] =>
    [...document.querySelectorAll("li a[tabindex='0']")].map((link) => link.closest("li")?.dataset["id"]);
  expect(stops()).toEqual(["m3"]);
  await user.click(screen.getByRole("checkbox", { name: "Select Subject 1" }));
  expect(stops()).toEqual(["m1"]);
});

test("shows the name of a file that the search found, and no other file", async () => {
  renderUi(<Rows />, {});
  const name = await screen.findByText("invite.ics");
  expect([name.dataset["field"], name.closest("li")?.dataset["id"]]).toEqual(["file", "m2"]);
  expect(screen.queryByText("logo.png")).toBeNull();
});

test.each([
  [false, "unknown"],
  [true, "false"],
])("shows rows whose marks are not known, of sent messages: %s, as %s", async (isSent, isUnread) => {
  renderUi(<Rows isSent={isSent} />, {});
  const links = await screen.findAllByRole("link");
  expect(links.map((link) => link.closest("li")?.dataset["unread"])).toEqual([isUnread, isUnread, isUnread]);
});
