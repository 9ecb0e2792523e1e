/** Resource of a subscription: the messages of a user or folder, with a condition and a selection of properties. */
import type { Direction } from "../../core/message.ts";
import { readForm } from "../../core/read-form.ts";
import { and, evaluate, or, type SearchExpression } from "../../core/search/search-expression.ts";
import type { Call } from "../kit/endpoints.ts";
import type { MailboxFilter } from "../mailbox.ts";
import { invalidRequest } from "./errors.ts";
import { folderFilter } from "./folder-tags.ts";
import { openFolderName } from "./folders.ts";
import { readFilter } from "./query.ts";

/** Paths of messages, of a mailbox or of a folder, with the ids between slashes or in parentheses. */
const messagesPath =
  /^\/?(?:me|users(?:\/([^/()]+)|\('([^/()]+)'\)))(?:\/mailFolders(?:\/([^/()]+)|\('([^/()]+)'\)))?\/messages$/i;

/** Messages of which an application is notified. */
export interface SubscribedResource {
  /** Null for the user of the key. */
  readonly user: string | null;
  /** Conditions by direction. */
  readonly where: Readonly<Record<Direction, SearchExpression>>;
  /** Value of `$select`; null without one. */
  readonly select: string | null;
}

/** Reads a resource; rejects for one that is not emulated. */
export async function readResource(call: Call, resource: string): Promise<SubscribedResource> {
  const [path = "", query = ""] = resource.split("?", 2);
  const match = messagesPath.exec(path);
  if (match === null) {
    const shown = resource.slice(0, 200);
    throw invalidRequest(`Resource '${shown}' is not supported: subscribe to the messages of a user or folder.`);
  }
  const options = new Map(readForm(query));
  const other = [...options.keys()].find((name) => name !== "$filter" && name !== "$select");
  if (other !== undefined) throw invalidRequest(`The resource has an unsupported option '${other.slice(0, 100)}'.`);
  const folder = match[3] ?? match[4];
  const all: MailboxFilter = { direction: null, expression: and() };
  const { direction, expression } = folder === undefined ? all : folderFilter(await openFolderName(call, folder));
  const condition = and(expression, conditionOf(options.get("$filter")));
  const nothing = or();
  return {
    user: match[1] ?? match[2] ?? null,
    where: {
      Received: direction === "Sent" ? nothing : condition,
      Sent: direction === "Received" ? nothing : condition,
    },
    select: options.get("$select") ?? null,
  };
}

function conditionOf(filter: string | undefined): SearchExpression {
  if (filter === undefined) return and();
  const expression = readFilter(filter);
  let comparesBody = false;
  evaluate(expression, (term) => {
    comparesBody ||= term.kind === "text" && term.field === "body";
    return null;
  });
  if (comparesBody) throw invalidRequest("Filters of subscriptions on the body are not emulated.");
  return expression;
}
