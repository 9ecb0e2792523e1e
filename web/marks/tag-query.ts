import { allReceived, formatMailQuery, operatorTerm, withTerms } from "../navigation/mail-query.ts";
import { inboxPath } from "../navigation/routes.ts";

/** Returns the address of the list of a server's messages with a tag. */
export function tagHref(server: string, tag: string): string {
  return inboxPath(server) + formatMailQuery(withTerms(allReceived, operatorTerm("tag", tag)));
}
