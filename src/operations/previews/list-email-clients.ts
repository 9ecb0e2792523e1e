import { emailClients, type EmailClient } from "../../previews/email-client.ts";
import type { Context } from "../context.ts";

/** The programs that previews are made for. */
export interface EmailClientList {
  readonly clients: readonly EmailClient[];
  /** Whether this service can make previews at all. */
  readonly isAvailable: boolean;
}

/** All programs, in the order of their table; the same for everybody. */
export async function listEmailClients({ renderer }: Pick<Context, "renderer">): Promise<EmailClientList> {
  return { clients: emailClients, isAvailable: (await renderer.problem()) === null };
}
