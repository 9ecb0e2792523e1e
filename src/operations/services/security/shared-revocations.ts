import type { Revocations } from "../../../core/revocations.ts";
import type { NodeStore } from "../../../store/node-store.ts";

/** Returns revocations that notify other nodes and are notified by them. */
export function shareRevocations(own: Revocations, nodes: Pick<NodeStore, "tell" | "onWord">): Revocations {
  nodes.onWord((word) => {
    if (word.kind === "revoked") own.tell(word.keyId);
  });
  return {
    hear: own.hear,
    tell: (keyId) => {
      own.tell(keyId);
      nodes.tell({ kind: "revoked", keyId });
    },
  };
}
