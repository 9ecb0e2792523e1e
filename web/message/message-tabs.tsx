import { messageTabs, type MessageTab } from "../navigation/place.ts";
import type { TabItem } from "../shared/tabs.tsx";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";
import { uniqueLinks } from "./unique-links.ts";

/** The tab that shows a message best. */
export function firstTab(message: Message): MessageTab {
  if (message.type === "SMS") return "conversation";
  return message.html.body === null ? "text" : "html";
}

/** What is known of a message beside itself. */
export interface TabFacts {
  /** How many messages belong together with it, itself among them. */
  readonly turnCount: number;
  /** The tab that the address names. */
  readonly asked: MessageTab | null;
}

/** The tabs that a message has something for, with their counts. A mail alone has no conversation, unless it is asked for. */
export function tabItems(message: Message, { turnCount, asked }: TabFacts): readonly TabItem<MessageTab>[] {
  const isJoined = message.type === "SMS" || turnCount > 1 || asked === "conversation";
  return messageTabs
    .filter((name) => hasTab(message, name) && (name !== "conversation" || isJoined))
    .map((name) => {
      const count = name === "conversation" ? (turnCount > 1 ? turnCount : 0) : countOf(message, name);
      return { name, label: <TabLabel name={name} count={count} /> };
    });
}

function TabLabel({ name, count }: { readonly name: MessageTab; readonly count: number }): React.ReactElement {
  return (
    <>
      {strings.message.tabs[name]}
      {count > 0 && <span className="count">{count}</span>}
    </>
  );
}

const mailTabs: readonly MessageTab[] = ["source", "headers", "structure", "checks", "previews"];

function hasTab(message: Message, name: MessageTab): boolean {
  const { html, text, attachments, type } = message;
  if (name === "html") return html.body !== null;
  if (name === "text") return text.body !== null || html.body === null;
  if (name === "attachments") return attachments.length > 0;
  return type === "Email" || !mailTabs.includes(name);
}

function countOf(message: Message, name: MessageTab): number {
  if (name === "attachments") return message.attachments.length;
  if (name === "links") return uniqueLinks(message).length + message.html.images.length;
  return name === "delivery" ? message.defects.length : 0;
}
