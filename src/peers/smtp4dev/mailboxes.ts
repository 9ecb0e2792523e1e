import { jsonResponse } from "../../http/http-response.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";

/** Name of the only mailbox: the server of the listener. */
export const mailboxName = "Default";

const permission = "read";
/** Id of the only mailbox. */
const mailboxId = "00000000-0000-8000-8000-000000000001";

/** Mailboxes and their folders, of which there is one each. */
export const mailboxRoutes: readonly PeerRoute[] = [
  {
    method: "GET",
    path: "/api/mailboxes",
    permission,
    respond: () => jsonResponse([{ id: mailboxId, name: mailboxName, mailboxFolders: [] }]),
  },
  {
    method: "GET",
    path: "/api/messages/folders",
    permission,
    respond: (call) => jsonResponse(isShownMailbox(call) ? ["INBOX"] : []),
  },
];

/** Returns whether a request concerns the mailbox; others are empty, as unknown ones of smtp4dev are. */
export function isShownMailbox({ query }: Pick<PeerCall, "query">): boolean {
  return (query.get("mailboxname") || mailboxName) === mailboxName;
}
