import type { MessageTab } from "../navigation/routes.ts";
import { pageStrings } from "../page-strings.ts";
import type { TabItem } from "../shared/tabs.tsx";
import type { Message } from "../wire.ts";
import type { scoreOf } from "./checks/checks-score.ts";

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

/** A link in the HTML or text body of a message. */
export type FoundLink = Message["html"]["links"][number];

/** Most links that the service lists of one body. */
const linkCountMax = 10_000;

/** Returns whether a body may have more links than the service lists. */
function hasMoreLinks({ html, text }: Pick<Message, "html" | "text">): boolean {
  return html.links.length >= linkCountMax || text.links.length >= linkCountMax;
}

/** Returns the links of both bodies in order, each address once, with its first text. */
export function uniqueLinks({ html, text }: Pick<Message, "html" | "text">): readonly FoundLink[] {
  const first = new Map<string, FoundLink>();
  for (const link of [...html.links, ...text.links]) if (!first.has(link.href)) first.set(link.href, link);
  return [...first.values()];
}

const reportType =
  /^(?:message\/(?:(?:global-)?(?:delivery-status|disposition-notification)|feedback-report)|application\/tlsrpt\+)/i;
/** Name of a report about DMARC or TLS (RFC 7489 §7.2.1.1): receiver, domain, begin and end. */
const reportName = /^[^!]*![^!]+!\d+!\d+/;
const reportSubject = /^\s*(?:\[preview\]\s*)?report[ _-]domain:/i;

/** Returns whether a message is a report, by its types and names: the service decides when it reads the report. */
function isReport({ attachments, subject, text, metadata }: Message): boolean {
  if (attachments.some(({ contentType, fileName }) => reportType.test(contentType) || reportName.test(fileName)))
    return true;
  if (attachments.length > 0 && reportSubject.test(subject)) return true;
  if (text.body?.trimStart().startsWith("Hi. This is the qmail-send program") === true) return true;
  return metadata.headers.some(({ field }) => field.toLowerCase() === "x-failed-recipients");
}
