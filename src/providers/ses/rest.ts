/** Version 2: handlers of the endpoints by their names. */
import type { Handler } from "../kit/endpoints.ts";
import { restAccountActions } from "./account-actions.ts";
import { restHandlers } from "./call.ts";
import { restSendingActions } from "./sending-actions.ts";
import { templateActions } from "./template-actions.ts";

/** Handlers of version 2, with the names of actions. */
export const handlers: Readonly<Record<string, Handler>> = restHandlers({
  ...restSendingActions,
  ...restAccountActions,
  ...templateActions,
});
