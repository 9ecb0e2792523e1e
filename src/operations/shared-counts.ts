/** Counts that bound what strangers do, over all nodes: each counts what the others tell as its own. */
import type { NodeStore } from "../store/node-store.ts";
import type { Throttle } from "./throttle.ts";

type Words = Pick<NodeStore, "tell" | "onWord">;

/** A throttle that also counts the failures that other nodes tell of, and tells them of its own. */
export function shareThrottle(throttle: Throttle, nodes: Words): Throttle {
  nodes.onWord((word) => {
    if (word.kind === "wrong_secret") throttle.recordFailure(word.address);
  });
  return {
    ...throttle,
    recordFailure(subject) {
      throttle.recordFailure(subject);
      nodes.tell({ kind: "wrong_secret", address: subject });
    },
  };
}
