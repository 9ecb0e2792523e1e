import type { MessageTab } from "../navigation/routes.ts";
import type { TabItem } from "../shared/tabs.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Message } from "../wire.ts";
import type { scoreOf } from "./checks/checks-score.ts";
import { isReport } from "./report/is-report.ts";
import { hasMoreLinks, uniqueLinks } from "./checks/unique-links.ts";

type TabName = keyof typeof pageStrings.message.tabs;

/** Views of each tab, in their order. Each view has an address. */
const tabs: readonly (readonly [name: TabName, views: readonly MessageTab[]])[] = [
  ["mail", ["html", "text", "report", "conversation"]],
  ["source", ["source", "headers", "structure"]],
  ["attachments", ["attachments"]],
  ["links", ["links"]],
  ["checks", ["checks"]],
  ["previews", ["previews"]],
  ["more", ["delivery", "test"]],
];

/** A tab with the views that the message has, at least one, and their texts. */
export interface MessageTabItem extends TabItem<TabName> {
  readonly views: readonly (readonly [view: MessageTab, text: string])[];
}

/** Returns the view that a message opens with. */
export function firstTab(message: Message): MessageTab {
  if (message.type === "SMS") return "conversation";
  if (message.html.body !== null) return "html";
  return message.text.body === null && isReport(message) ? "report" : "text";
}

/** Facts beside the message that decide on its tabs. */
export interface TabFacts {
  /** Number of messages in its conversation, itself included. */
  readonly turnCount: number;
  /** The view in the address. */
  readonly requested: MessageTab | null;
  /** Checks that the message passed, and those that were judged; null before they were done. */
  readonly score?: ReturnType<typeof scoreOf> | null;
}

/** Returns the tabs of a message with their counts. A conversation of one email has a view only if it is requested. */
export function tabItems(message: Message, facts: TabFacts): readonly MessageTabItem[] {
  const { score = null } = facts;
  return tabs
    .map(([name, all]) => {
      const views = all
        .filter((view) => hasView(message, view, facts))
        .map((view) => [view, textOf(view, facts)] as const);
      const item = { name, text: pageStrings.message.tabs[name], count: countOf(message, name), views };
      if (name === "checks") {
        return {
          ...item,
          note: score && `${score.passed}/${score.judged}`,
          noteHint: pageStrings.message.score(score),
        };
      }
      return { ...item, isAtLeast: name === "links" && hasMoreLinks(message) };
    })
    .filter(({ views }) => views.length > 0);
}

function textOf(view: MessageTab, { turnCount }: TabFacts): string {
  const text = pageStrings.message.views[view];
  return view === "conversation" && turnCount > 1 ? `${text} ${turnCount.toLocaleString("en")}` : text;
}

const emailViews: readonly MessageTab[] = ["source", "headers", "structure", "checks", "previews"];

function hasView(message: Message, view: MessageTab, { turnCount, requested }: TabFacts): boolean {
  const { html, text, attachments, type } = message;
  if (view === "html") return html.body !== null;
  if (view === "report") return isReport(message);
  if (view === "text") return text.body !== null || html.body === null;
  if (view === "conversation") return type === "SMS" || turnCount > 1 || requested === "conversation";
  if (view === "attachments") return attachments.length > 0;
  if (view === "links") return countOf(message, "links") > 0;
  return type === "Email" || !emailViews.includes(view);
}

/** Returns whether an attachment is an image within the HTML, such as a logo (RFC 2392), which does not count as an attachment. */
export function isInline({ html }: Message, { contentId }: Message["attachments"][number]): boolean {
  return contentId !== null && html.images.some(({ src }) => src === `cid:${contentId}`);
}

function countOf(message: Message, name: TabName): number {
  if (name === "attachments") return message.attachments.filter((file) => !isInline(message, file)).length;
  if (name === "links") return uniqueLinks(message).length + message.html.images.length;
  return name === "more" ? message.defects.length : 0;
}
