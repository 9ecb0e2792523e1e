/** Mailbox of the user that a request names. */
import { type MessageId, parseMessageId } from "../../core/ids.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { uuidOfHex } from "../formats/uuid.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import type { ProviderMailbox } from "../mailbox.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { delegationDenied, failedPrecondition, invalidArgument } from "./errors.ts";
import { Labels } from "./labels.ts";

/** Call about a mailbox, with its labels. */
export interface User extends Call {
  readonly mailbox: ProviderMailbox;
  readonly labels: Labels;
}

/** Returns the handler of an endpoint about the mailbox of the user in the path; the response has the JSON, or no content. */
export function forUser(respond: (user: User) => Promise<JsonObject | void>): Handler {
  return async (call) => {
    const value = await respond(await openUser(call));
    return value === undefined ? noContent : jsonResponse(200, value);
  };
}

/** Opens the mailbox of the user in the path: `me`, or an address. */
export async function openUser(call: Call): Promise<User> {
  const { session } = call;
  const { user = "" } = call.request.params;
  const isAddress = user.includes("@");
  if (!isAddress && user !== "me") throw delegationDenied(user.slice(0, 100));
  const mailbox = await onProblem("not_found", session.openMailbox(isAddress ? user : null), () =>
    isAddress ? delegationDenied(user.slice(0, 100)) : failedPrecondition("Mail service not enabled"),
  );
  return { ...call, mailbox, labels: await Labels.open(session, mailbox) };
}

/** Returns the id of a mail or thread in a request. */
export function idOf(text: string): MessageId {
  const id = /^[0-9a-f]{32}$/.test(text) ? parseMessageId(uuidOfHex(text)) : undefined;
  if (id === undefined) throw invalidArgument("Invalid id value");
  return id;
}

/** Returns the id of the object in the path. */
export function pathId({ request }: Pick<Call, "request">): string {
  return request.params["id"] ?? "";
}

/** Returns the labels that a request names; throws for an unknown one. */
export function knownLabels({ labels }: Pick<User, "labels">, ids: readonly string[]): readonly string[] {
  const unknown = ids.find((id) => !labels.has(id));
  if (unknown !== undefined) throw invalidArgument(`Invalid label: ${unknown.slice(0, 100)}`);
  return ids;
}
