import type { KeyRoute } from "../../route.ts";

/** Members of all routes that compose a mail from content of the request. */
export const composing: Pick<KeyRoute, "method" | "access" | "permission" | "problems"> = {
  method: "POST",
  access: "key",
  permission: "send",
  problems: [
    "invalid_request",
    "not_found",
    "conflict",
    "message_too_large",
    "too_many_requests",
    "limit_reached",
    "storage_full",
    "quota_exceeded",
  ],
};
