/** Server that is the mailbox of a user of a provider's API. */
import { notFound } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type { Context } from "../context.ts";
import { findCatchAll, resolveRecipient } from "../inbound/resolve-recipient.ts";
import { domainOf } from "../services/sending/compose-stamp.ts";
import { requireScope } from "../services/security/access.ts";
import type { ProviderCaller } from "./provider-session.ts";

/** Mailbox of a user. */
export interface MailboxPlace {
  readonly server: ServerId;
  /** Address of the user; `me` at the mail domain of the server for a user without one. */
  readonly address: string;
}

/** Returns the mailbox of a user, as `openMailbox` of the contract of providers names it. Rejects with `not_found`. */
export async function openMailboxPlace(
  context: Context,
  { principal }: Pick<ProviderCaller, "principal">,
  user: string | null,
): Promise<MailboxPlace> {
  const address = user?.includes("@") === true ? user : null;
  const found = address === null ? await findCatchAll(context) : await resolveRecipient(context, address, null);
  const server = principal.server ?? found;
  if (server === undefined || !(await context.store.hasServer(server))) throw notFound("Server");
  return { server, address: address ?? `me@${domainOf(context, server)}` };
}

/**
 * Admits a change of what the engine of callbacks delivers. Rejects with `forbidden` for a key that may only read or send,
 * and with the faults of the request.
 */
export async function admitChange({ isKnown, principal, faults }: ProviderCaller): Promise<void> {
  if (isKnown) requireScope(principal, "manage");
  await faults?.beforeChange();
}

/** Returns the number of the last change of a server. */
export async function lastSequence({ store }: Pick<Context, "store">, server: ServerId): Promise<number> {
  const page = { page: 0, itemsPerPage: 1, receivedAfter: null, direction: "Received", afterSequence: null } as const;
  return (await store.listMessages(server, page)).cursor;
}
