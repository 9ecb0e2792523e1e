import { jsonResponse } from "../../http/http-response.ts";
import { releaseMessage } from "../../operations/messages/reply-to-message.ts";
import { placeMail } from "../../operations/sending/send-mail.ts";
import { awaitDelivery } from "../await-delivery.ts";
import { changeMarks, deleteMessages, emptyMailbox, markAllRead } from "../change-mailbox.ts";
import { type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { badRequest, parseObject } from "../read-json.ts";
import { readingContext, recipientsOf, requireId } from "../received-message.ts";
import { emptyResponse, plainResponse } from "../responses.ts";
import { isShownMailbox, mailboxName } from "./list-messages.ts";
import { openDetail } from "./read-message.ts";

const path = "/api/messages";
const done = emptyResponse(200);

/** Import of a mail, read marks, deletion, and relaying of a mail as it was received, to verified recipients. */
export const changeRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("manage", {
    [`POST ${path}/markallread`]: async (call) => {
      if (isShownMailbox(call)) await markAllRead(call);
      return done;
    },
    [`POST ${path}/:id/markread`]: async (call) => {
      await changeMarks(call, [requireId(call)], { addFlags: ["seen"] });
      return done;
    },
    // The id `*` stands for all messages.
    [`DELETE ${path}/:id`]: async (call) => {
      if (call.params["id"] !== "*") await deleteMessages(call, [requireId(call)]);
      else if (isShownMailbox(call)) await emptyMailbox(call);
      return done;
    },
  }),
  ...catcherRoutes("send", {
    [`PUT ${path}`]: async (call) => {
      if (!isShownMailbox(call)) throw badRequest(`mailboxName must be ${mailboxName}`);
      const raw = await call.readBody(call.context.limits.messageBytesMax);
      if (raw.byteLength === 0) throw badRequest("EML content is empty");
      return jsonResponse(await placeMail(readingContext(call), { server: call.server, raw, ticket: null }));
    },
    [`POST ${path}/:id/relay`]: async (call) => {
      const id = requireId(call);
      const body = await call.readBody(call.context.limits.jsonBodyBytesMax);
      const given = body.byteLength === 0 ? [] : parseObject(body).texts("overrideRecipientAddresses");
      const to = given.length > 0 ? given : recipientsOf((await openDetail(call, id)).message);
      const sent = await releaseMessage(readingContext(call), call.principal, { id, to, repeatKey: null });
      const delivery = await awaitDelivery(call, sent.message.id);
      return delivery?.status === "Failed" ? plainResponse(500, "Failed to relay to recipients") : done;
    },
  }),
];
