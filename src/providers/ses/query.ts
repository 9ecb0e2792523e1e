/** Version 1: all actions at `POST /`. */
import { queryHandler } from "../formats/aws-actions.ts";
import type { OpenHandler } from "../kit/endpoints.ts";
import { queryAccountActions } from "./account-actions.ts";
import { queryActions } from "./call.ts";
import { rejection, sesErrors } from "./errors.ts";
import { queryNamespace } from "./response.ts";
import { querySendingActions } from "./sending-actions.ts";
import { templateActions } from "./template-actions.ts";

/** Largest body: a mail of 10 MB in base64, with its characters percent-encoded. */
const bodyBytesMax = 20 * 1024 * 1024;

const actions = queryActions({ ...querySendingActions, ...templateActions, ...queryAccountActions });

/** Names of all actions of version 1. */
export const queryActionNames: readonly string[] = Object.keys(actions);

const respond = queryHandler({ namespace: queryNamespace, version: "2010-12-01", actions, errors: sesErrors });

/** Responds to an action: `POST /`. */
export const respondToQuery: OpenHandler = async (call) => {
  if (call.request.body.byteLength > bodyBytesMax) {
    throw rejection("invalid", "Message length is more than 10485760 bytes long.");
  }
  return respond(call);
};
