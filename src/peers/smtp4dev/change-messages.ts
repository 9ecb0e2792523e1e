import { jsonResponse } from "../../http/http-response.ts";
import { emptyServer } from "../../operations/messages/empty-server.ts";
import { releaseMessage } from "../../operations/messages/release-message.ts";
import { placeMail } from "../../operations/sending/send-mail.ts";
import { awaitDelivery } from "../await-delivery.ts";
import { changeMarks, deleteMessages, forAllMessages } from "../mailbox.ts";
import type { PeerRoute } from "../peer.ts";
import { badRequest, parseObject } from "../read-json.ts";
import { isShownMailbox, mailboxName } from "./mailboxes.ts";
import { openDetail, requireId } from "./open-message.ts";
import { done, failure } from "./responses.ts";
import { recipientsOf } from "./list-messages.ts";

const path = "/api/messages";
const permission = "manage";

/** Import of a mail, read marks, deletion, and relaying of a mail as it was received, to verified recipients. */
export const changeRoutes: readonly PeerRoute[] = [
  {
    method: "PUT",
    path,
    permission: "send",
    respond: async (call) => {
      if (!isShownMailbox(call)) throw badRequest(`mailboxName must be ${mailboxName}`);
      const { context, server } = call;
      const raw = await call.readBody(context.limits.messageBytesMax);
      if (raw.byteLength === 0) throw badRequest("EML content is empty");
      return jsonResponse(await placeMail({ ...context, gone: call.signal() }, { server, raw, ticket: null }));
    },
  },
  {
    method: "POST",
    path: `${path}/markallread`,
    permission,
    respond: async (call) => {
      if (!isShownMailbox(call)) return done;
      await forAllMessages(call, async (ids) => changeMarks(call, ids, { addFlags: ["seen"] }));
      return done;
    },
  },
  {
    method: "POST",
    path: `${path}/:id/markread`,
    permission,
    respond: async (call) => {
      await changeMarks(call, [requireId(call)], { addFlags: ["seen"] });
      return done;
    },
  },
  {
    // The id `*` stands for all messages.
    method: "DELETE",
    path: `${path}/:id`,
    permission,
    respond: async (call) => {
      if (call.params["id"] !== "*") {
        await deleteMessages(call, [requireId(call)]);
        return done;
      }
      if (!isShownMailbox(call)) return done;
      const { context, principal, server, record } = call;
      await emptyServer(context, principal, server);
      await record("server.empty", { target: server });
      return done;
    },
  },
  {
    method: "POST",
    path: `${path}/:id/relay`,
    permission: "send",
    respond: async (call) => {
      const { context, principal } = call;
      const id = requireId(call);
      const body = await call.readBody(context.limits.jsonBodyBytesMax);
      const given = body.byteLength === 0 ? [] : parseObject(body).texts("overrideRecipientAddresses");
      const to = given.length > 0 ? given : recipientsOf((await openDetail(call, id)).message);
      const request = { id, to, repeatKey: null };
      const sent = await releaseMessage({ ...context, gone: call.signal() }, principal, request);
      const delivery = await awaitDelivery(call, sent.message.id);
      return delivery?.status === "Failed" ? failure(500, "Failed to relay to recipients") : done;
    },
  },
];
