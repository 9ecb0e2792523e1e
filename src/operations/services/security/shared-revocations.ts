import type { Revocations } from "../../../core/revocations.ts";
import type { NodeStore } from "../../../store/node-store.ts";

/** Returns revocations that notify other nodes and are notified by them. */
export function shareRevocations(own: Revocations, nodes: Pick<NodeStore, "notify" | "onNotification">): Revocations {
  nodes.onNotification((word) => {
    if (word.kind === "revoked") own.tell(word.keyId);
  });
  return {
    hear: own.hear,
    tell: (keyId) => {
      own.tell(keyId);
      nodes.notify({ kind: "revoked", keyId });
    },
  };
}
