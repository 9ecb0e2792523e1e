/** Routes of mails that are submitted through a provider's API: the servers of their recipients. */
import { notFound } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type { SubmittedEmail } from "../../providers/email.ts";
import type { Context } from "../context.ts";
import { resolveRecipient } from "../inbound/resolve-recipient.ts";
import type { ServerRecipients } from "../scheduled/scheduled-content.ts";
import type { ProviderCaller } from "./provider-caller.ts";

/** Mail with the servers of its recipients, in the order of their first recipients; none when no server receives it. */
export interface RoutedEmail {
  readonly email: SubmittedEmail;
  readonly copies: readonly ServerRecipients[];
}

/**
 * Routes mails as at the SMTP listener: to the server of a restricted key, else to the server of each recipient. Recipients
 * without a server are left out. Rejects with `not_found` when the server of the key no longer exists.
 */
export async function routeEmails(
  context: Pick<Context, "store" | "settings">,
  { principal }: ProviderCaller,
  emails: readonly SubmittedEmail[],
): Promise<readonly RoutedEmail[]> {
  const { server } = principal;
  if (server !== null && !(await context.store.hasServer(server))) throw notFound("Server");
  const servers = new Map<string, ReturnType<typeof resolveRecipient>>();
  const serverOf = async (address: string): Promise<ServerId | undefined> => {
    const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
    const known = servers.get(domain) ?? resolveRecipient(context, address, server);
    servers.set(domain, known);
    return known;
  };
  return Promise.all(
    emails.map(async (email) => {
      const found = await Promise.all(
        email.recipients.map(async (address) => ({ address, server: await serverOf(address) })),
      );
      const byServer = Map.groupBy(found, (one) => one.server);
      const copies = Array.from(byServer, ([own, group]) =>
        own === undefined ? [] : [{ server: own, recipients: group.map(({ address }) => address) }],
      );
      return { email, copies: copies.flat() };
    }),
  );
}
