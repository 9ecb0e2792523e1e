import { emailClients, type EmailClient } from "../../previews/email-client.ts";
import type { Context } from "../context.ts";

/** Email clients that previews are rendered for. */
export interface EmailClientList {
  readonly clients: readonly EmailClient[];
  /** Whether this service can render previews. */
  readonly isAvailable: boolean;
}

/** Returns all email clients in the order of their table. */
export async function listEmailClients({ renderer }: Pick<Context, "renderer">): Promise<EmailClientList> {
  return { clients: emailClients, isAvailable: (await renderer.problem()) === null };
}
