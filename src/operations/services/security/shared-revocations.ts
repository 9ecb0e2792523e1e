import type { Revocations } from "../../../core/api-key.ts";
import type { NodeStore } from "../../../store/node-store.ts";

/** Returns revocations that notify other nodes and are notified by them. */
export function shareRevocations(own: Revocations, nodes: Pick<NodeStore, "notify" | "onNotification">): Revocations {
  nodes.onNotification((notification) => {
    if (notification.kind === "revoked") own.publish(notification.keyId);
  });
  return {
    subscribe: own.subscribe,
    publish: (keyId) => {
      own.publish(keyId);
      nodes.notify({ kind: "revoked", keyId });
    },
  };
}
