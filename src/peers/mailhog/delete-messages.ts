import { emptyServer } from "../../operations/messages/empty-server.ts";
import { deleteMessages } from "../mailbox.ts";
import type { PeerRoute } from "../peer.ts";
import { requireId } from "./read-message.ts";
import { empty } from "./responses.ts";

const path = "/api/v1/messages";

/** Deletion of one or all messages. */
export const deletionRoutes: readonly PeerRoute[] = [
  {
    method: "DELETE",
    path,
    permission: "manage",
    respond: async ({ context, principal, server, record }) => {
      await emptyServer(context, principal, server);
      await record("server.empty", { target: server });
      return empty(200);
    },
  },
  {
    method: "DELETE",
    path: `${path}/:id`,
    permission: "manage",
    respond: async (call) => {
      await deleteMessages(call, [requireId(call)]);
      return empty(200);
    },
  },
];
