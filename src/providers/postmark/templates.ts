/** Templates as they are stored, by id and by alias: https://postmarkapp.com/developer/api/templates-api */
import { randomInt } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import type { ProviderSession } from "../provider.ts";

/** Template or layout without its bodies. */
export interface TemplateSummary {
  readonly id: number;
  readonly type: "Standard" | "Layout";
  readonly name: string;
  /** Null without one. */
  readonly alias: string | null;
  /** Null for layouts. */
  readonly subject: string | null;
  /** Alias of the layout; null without one. */
  readonly layout: string | null;
}

/** Bodies of a template or layout; null for none. */
export interface TemplateBodies {
  readonly html: string | null;
  readonly text: string | null;
}

/** Template or layout. */
export type PostmarkTemplate = TemplateSummary & TemplateBodies;

/** Summaries and bodies are separate objects, so that lists read no bodies. */
const kind = "template";
const bodiesKind = "bodies";
const aliasKind = "alias";
const attemptCountMax = 20;
const idPattern = /^\d{1,10}$/;
/** Aliases start with a letter; letters, digits, `.`, `-` and `_` follow. */
const aliasPattern = /^[a-z][\w.-]{0,99}$/i;

/** Returns whether a text can be an alias. */
export function isAlias(text: string): boolean {
  return aliasPattern.test(text);
}

/** Returns a template by its id or alias; undefined for an unknown one. */
export async function findTemplate(session: ProviderSession, idOrAlias: string): Promise<PostmarkTemplate | undefined> {
  const id = idPattern.test(idOrAlias) ? idOrAlias : await idOfAlias(session, idOrAlias);
  if (id === undefined) return undefined;
  const [summary, bodies] = [await session.objects.get(kind, id), await session.objects.get(bodiesKind, id)];
  if (summary === undefined) return undefined;
  const none: TemplateBodies = { html: null, text: null };
  return { ...(summary.value as TemplateSummary), ...((bodies?.value as TemplateBodies | undefined) ?? none) };
}

async function idOfAlias({ objects }: ProviderSession, alias: string): Promise<string | undefined> {
  if (!isAlias(alias)) return undefined;
  const found = await objects.get(aliasKind, alias.toLowerCase());
  return (found?.value as { readonly id: string } | undefined)?.id;
}

/** Returns the summaries of all templates in the order of their creation. */
export async function listTemplates({ objects }: ProviderSession): Promise<readonly TemplateSummary[]> {
  const all: TemplateSummary[] = [];
  const pageSize = 1000;
  for (let offset = 0; ; offset += pageSize) {
    const page = await objects.list(kind, offset);
    all.push(...page.map(({ value }) => value as TemplateSummary));
    if (page.length < pageSize) return all;
  }
}

/** Stores a new template; undefined when its alias is taken. */
export async function createTemplate(
  session: ProviderSession,
  { html, text, ...summary }: Omit<PostmarkTemplate, "id">,
): Promise<TemplateSummary | undefined> {
  const { objects } = session;
  for (let attempt = 0; attempt < attemptCountMax; attempt += 1) {
    const value: TemplateSummary = { ...summary, id: randomInt(10_000_000, 100_000_000) };
    const id = String(value.id);
    if (!(await objects.put(bodiesKind, id, { value: { html, text }, version: 0 }))) continue;
    if (value.alias === null || (await takeAlias(session, value.alias, value.id))) {
      await objects.put(kind, id, { value });
      return value;
    }
    await objects.remove(bodiesKind, id);
    return undefined;
  }
  throw new Problem("too_many_requests", { retryAfterSeconds: 1 });
}

async function takeAlias({ objects }: ProviderSession, alias: string, id: number): Promise<boolean> {
  return objects.put(aliasKind, alias.toLowerCase(), { value: { id: String(id) }, version: 0 });
}

/** Replaces a template; false when its new alias is taken. */
export async function putTemplate(
  session: ProviderSession,
  present: TemplateSummary,
  { html, text, ...value }: PostmarkTemplate,
): Promise<boolean> {
  const isRenamed = present.alias?.toLowerCase() !== value.alias?.toLowerCase();
  if (isRenamed && value.alias !== null && !(await takeAlias(session, value.alias, value.id))) return false;
  await session.objects.put(bodiesKind, String(value.id), { value: { html, text } });
  await session.objects.put(kind, String(value.id), { value });
  if (isRenamed && present.alias !== null) await session.objects.remove(aliasKind, present.alias.toLowerCase());
  return true;
}

/** Removes a template and its alias. */
export async function removeTemplate(session: ProviderSession, { id, alias }: TemplateSummary): Promise<void> {
  await session.objects.remove(kind, String(id));
  await session.objects.remove(bodiesKind, String(id));
  if (alias !== null) await session.objects.remove(aliasKind, alias.toLowerCase());
}
