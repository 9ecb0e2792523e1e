import { expect, test } from "vitest";
import type { ServerId } from "../../../core/ids.ts";
import type { NodeNotification } from "../../node-store.ts";
import { payloadsOf, readPayload } from "./notification-payload.ts";

const span = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", isSampled: true };

test("decodes every encoded notification and ignores malformed ones", () => {
  const notifications: readonly NodeNotification[] = [
    { kind: "traced", server: "abcd1234" as ServerId, sequence: 7, span },
    { kind: "changed", server: "abcd1234" as ServerId, sequence: 7 },
    { kind: "wrong_secret", address: "server a b%" },
    { kind: "revoked", keyId: "0d0c 1/%" },
    { kind: "revoked", keyId: null },
  ];
  const [payload = ""] = payloadsOf("node", notifications);
  expect(readPayload(payload)).toEqual({ node: "node", notifications });
  expect(readPayload(`node r%E0%A4%A x cabc:1 w tabcd1234:7 tabcd1234:x:${span.traceId}:${span.spanId}`)).toEqual({
    node: "node",
    notifications: [],
  });
});
