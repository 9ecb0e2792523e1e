import { messageTabs, type MessageTab } from "../navigation/routes.ts";
import type { TabItem } from "../shared/tabs.tsx";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";
import type { scoreOf } from "./checks/checks-score.ts";
import { hasMoreLinks, uniqueLinks } from "./checks/unique-links.ts";

/** Returns the tab that a message opens with. */
export function firstTab(message: Message): MessageTab {
  if (message.type === "SMS") return "conversation";
  return message.html.body === null ? "text" : "html";
}

/** Facts beside the message that decide on its tabs. */
export interface TabFacts {
  /** Number of messages in its conversation, itself included. */
  readonly turnCount: number;
  /** The tab in the address. */
  readonly requested: MessageTab | null;
  /** Checks that the message passed, and those that were judged; null before they were done. */
  readonly score?: ReturnType<typeof scoreOf> | null;
}

/** Returns the tabs of a message with their counts. A conversation of one email has a tab only if it is requested. */
export function tabItems(message: Message, facts: TabFacts): readonly TabItem<MessageTab>[] {
  const { turnCount, requested, score = null } = facts;
  const isJoined = message.type === "SMS" || turnCount > 1 || requested === "conversation";
  return messageTabs
    .filter((name) => hasTab(message, name) && (name !== "conversation" || isJoined))
    .map((name) => {
      const count = name === "conversation" ? (turnCount > 1 ? turnCount : 0) : countOf(message, name);
      const item = { name, text: strings.message.tabs[name], count };
      if (name === "checks") return { ...item, note: score && `${score.passed}/${score.judged}` };
      return { ...item, isAtLeast: name === "links" && hasMoreLinks(message) };
    });
}

const mailTabs: readonly MessageTab[] = ["source", "headers", "structure", "checks", "previews"];

function hasTab(message: Message, name: MessageTab): boolean {
  const { html, text, attachments, type } = message;
  if (name === "html") return html.body !== null;
  if (name === "text") return text.body !== null || html.body === null;
  if (name === "attachments") return attachments.length > 0;
  return type === "Email" || !mailTabs.includes(name);
}

/** Returns whether an attachment is an image within the HTML, such as a logo (RFC 2392), which does not count as an attachment. */
export function isInline({ html }: Message, { contentId }: Message["attachments"][number]): boolean {
  return contentId !== null && html.images.some(({ src }) => src === `cid:${contentId}`);
}

function countOf(message: Message, name: MessageTab): number {
  if (name === "attachments") return message.attachments.filter((file) => !isInline(message, file)).length;
  if (name === "links") return uniqueLinks(message).length + message.html.images.length;
  return name === "delivery" ? message.defects.length : 0;
}
