import type { NodeStore } from "../../../store/node-store.ts";
import type { Throttle } from "./throttle.ts";

/** Returns a throttle that also counts failures on other nodes, and notifies them of its own. */
export function shareThrottle(throttle: Throttle, nodes: Pick<NodeStore, "notify" | "onNotification">): Throttle {
  nodes.onNotification((word) => {
    if (word.kind === "wrong_secret") throttle.recordFailure(word.address);
  });
  return {
    ...throttle,
    recordFailure(subject, hash) {
      throttle.recordFailure(subject, hash);
      nodes.notify({ kind: "wrong_secret", address: subject });
    },
  };
}
