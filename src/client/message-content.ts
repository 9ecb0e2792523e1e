/** Codes, links and attachments of a message, for tests: what is absent is an error that says what there is instead. */
import { ContentError } from "./errors.ts";
import type { Attachment, Link, Message } from "./generated/types.ts";

/** Bodies of a message with what was found in them. */
export type MessageBodies = Pick<Message, "html" | "text" | "subject">;

/** Choice of a one-time code. */
export interface CodeOptions {
  /** Number of characters. */
  readonly length?: number | undefined;
  /** Pattern that the code matches. */
  readonly pattern?: RegExp | undefined;
}

/** Links that an error lists. */
const listedMax = 10;

/** Returns the one-time codes of a message, those of the HTML first, each once. */
export function codesOf({ html, text }: MessageBodies): readonly string[] {
  return Array.from(new Set([...html.codes, ...text.codes].map(({ value }) => value)));
}

/** Returns the first one-time code of a message; throws a `ContentError` when there is none. */
export function codeOf(message: MessageBodies, { length, pattern }: CodeOptions = {}): string {
  const codes = codesOf(message);
  const found = codes.find(
    (code) => (length === undefined || code.length === length) && (pattern === undefined || pattern.test(code)),
  );
  if (found !== undefined) return found;
  const wanted = [
    ...(length === undefined ? [] : [` of ${String(length)} characters`]),
    ...(pattern === undefined ? [] : [` that matches ${String(pattern)}`]),
  ].join("");
  const instead = codes.length > 0 ? ` Its codes: ${codes.join(", ")}.` : ` ${beginningOf(message)}`;
  throw new ContentError(`${titleOf(message)} has no one-time code${wanted}.${instead}`);
}

/** Returns the links of a message, those of the HTML first. */
export function linksOf({ html, text }: MessageBodies): readonly Link[] {
  return [...html.links, ...text.links];
}

/**
 * Returns the target of a link. A string is compared with the visible text: the whole text, else a part of it, else a part
 * of the URL, without regard to letter case and white space; a pattern is compared with both. Without a name, the message
 * must have one target only. Throws a `ContentError` when no link or links to several targets match.
 */
export function linkOf(message: MessageBodies, name?: string | RegExp): string {
  const links = linksOf(message);
  const targets = Array.from(new Set(matching(links, name).map(({ href }) => href)));
  const [target] = targets;
  if (target !== undefined && targets.length === 1) return target;
  const wanted = name === undefined ? "" : ` ${name instanceof RegExp ? String(name) : JSON.stringify(name)}`;
  if (links.length === 0) throw new ContentError(`${titleOf(message)} has no links. ${beginningOf(message)}`);
  const shown = links.slice(0, listedMax).map(({ href, text }) => `\n- ${JSON.stringify(text ?? "")} ${href}`);
  const more = links.length > listedMax ? `\n- and ${String(links.length - listedMax)} more` : "";
  const problem =
    targets.length === 0 ? `has no link${wanted}` : `has ${String(targets.length)} different links${wanted}`;
  throw new ContentError(`${titleOf(message)} ${problem}. Its links:${shown.join("")}${more}`);
}

/** Returns the attachment with a file name, or the only one; throws a `ContentError` when there is none. */
export function attachmentOf(message: Pick<Message, "attachments" | "subject">, name?: string | RegExp): Attachment {
  const found = message.attachments.filter(
    ({ fileName }) => name === undefined || (name instanceof RegExp ? name.test(fileName) : fileName === name),
  );
  const [attachment] = found;
  if (attachment !== undefined && (name !== undefined || found.length === 1)) return attachment;
  const names = message.attachments.map(({ fileName }) => JSON.stringify(fileName)).join(", ");
  const wanted = name === undefined ? "a single attachment" : `an attachment ${String(name)}`;
  throw new ContentError(`${titleOf(message)} has not ${wanted}. Its attachments: ${names || "none"}.`);
}

function matching(links: readonly Link[], name: string | RegExp | undefined): readonly Link[] {
  if (name === undefined) return links;
  if (name instanceof RegExp) return links.filter(({ href, text }) => name.test(text ?? "") || name.test(href));
  const wanted = normalize(name);
  const rules: readonly ((link: Link) => boolean)[] = [
    ({ text }) => normalize(text ?? "") === wanted,
    ({ text }) => normalize(text ?? "").includes(wanted),
    ({ href }) => href.toLowerCase().includes(wanted),
  ];
  return rules.map((rule) => links.filter(rule)).find((found) => found.length > 0) ?? [];
}

function normalize(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().toLowerCase();
}

function titleOf({ subject }: Pick<Message, "subject">): string {
  return `The message ${JSON.stringify(subject)}`;
}

function beginningOf({ html, text }: MessageBodies): string {
  const body = (text.body ?? html.body ?? "").replaceAll(/\s+/g, " ").trim();
  return body === "" ? "It has no text." : `It begins: ${JSON.stringify(body.slice(0, 200))}`;
}
