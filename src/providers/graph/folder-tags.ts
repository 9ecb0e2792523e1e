/** Folders as conditions: direction, the flag `deleted`, and a tag for every folder that the service does not have. */
import type { MarkChange, Marks } from "../../core/marks.ts";
import { and, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import type { MailboxFilter, MailboxMessage } from "../mailbox.ts";

/** Beginning of the tags that stand for folders. */
export const folderTagPrefix = "folder/";

/** Display names of the folders that every mailbox has, by their well-known names, which are their ids here. */
export const wellKnownFolders = {
  inbox: "Inbox",
  sentitems: "Sent Items",
  drafts: "Drafts",
  deleteditems: "Deleted Items",
  archive: "Archive",
  junkemail: "Junk Email",
} as const;

const { inbox, sentitems, drafts, deleteditems } = wellKnownFolders;
const ownIdPrefix = "AQMk";

/** Returns the display name of the folder with an id or a well-known name; undefined for any other text. */
export function folderNameOf(id: string): string | undefined {
  const known = Object.entries(wellKnownFolders).find(([name]) => name === id.toLowerCase());
  if (known !== undefined) return known[1];
  if (!id.startsWith(ownIdPrefix)) return undefined;
  return Buffer.from(id.slice(ownIdPrefix.length), "base64url").toString("utf8") || undefined;
}

/** Returns the id of a folder by its display name. */
export function folderIdOf(name: string): string {
  const known = Object.entries(wellKnownFolders).find(([, own]) => own === name);
  return known?.[0] ?? ownIdPrefix + Buffer.from(name).toString("base64url");
}

const deleted: SearchExpression = { kind: "flag", flag: "deleted" };
const never: SearchExpression = not({ kind: "always" });
const elsewhere = or(deleted, { kind: "tagText", term: folderTagPrefix });

/** Returns the condition on the mails of a folder, by its display name; drafts are objects. */
export function folderFilter(name: string): MailboxFilter {
  if (name === inbox) return { direction: "Received", expression: not(elsewhere) };
  if (name === sentitems) return { direction: "Sent", expression: not(elsewhere) };
  return { direction: null, expression: folderExpression(name) };
}

/** Returns the condition on the mails of a folder in a list of one direction. */
export function folderExpression(name: string): SearchExpression {
  if (name === inbox || name === sentitems) return not(elsewhere);
  if (name === deleteditems) return deleted;
  if (name === drafts) return never;
  return and(not(deleted), { kind: "tag", tag: foldPart(folderTagPrefix + name) });
}

/** Returns the display name of the folder of a mail. */
export function folderOf({ marks, direction }: Pick<MailboxMessage, "marks" | "direction">): string {
  if (marks.flags.includes("deleted")) return deleteditems;
  const tag = marks.tags.find((one) => one.startsWith(folderTagPrefix));
  return tag?.slice(folderTagPrefix.length) ?? (direction === "Sent" ? sentitems : inbox);
}

/** Returns the change of a mail's marks that moves it to a folder, by its display name. */
export function folderChange({ tags }: Marks, folder: string): MarkChange {
  if (folder === deleteditems) return { addFlags: ["deleted"] };
  const removeTags = tags.filter((tag) => tag.startsWith(folderTagPrefix));
  const addTags = folder === inbox || folder === sentitems ? [] : [folderTagPrefix + folder];
  return { removeFlags: ["deleted"], removeTags, addTags };
}
