import type { KeyRoute } from "../../route.ts";

/** What all routes share that compose a mail from content of the caller's. */
export const composing: Pick<KeyRoute, "method" | "access" | "needs" | "problems"> = {
  method: "POST",
  access: "key",
  needs: "send",
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
