import { expect, test } from "vitest";
import { createRevocations } from "../../../core/api-key.ts";
import type { NodeNotification } from "../../../store/node-store.ts";
import { shareRevocations } from "./shared-revocations.ts";

test("a revocation on one node notifies listeners on the others once, with the key", () => {
  const listeners: ((notification: NodeNotification) => void)[] = [];
  const node = (): { readonly own: ReturnType<typeof shareRevocations>; readonly received: (string | null)[] } => {
    const received: (string | null)[] = [];
    let listen: (notification: NodeNotification) => void = () => undefined;
    const own = shareRevocations(createRevocations(), {
      notify: (notification) => {
        for (const others of listeners) if (others !== listen) others(notification);
      },
      onNotification: (listener) => {
        listen = listener;
        listeners.push(listener);
      },
    });
    own.subscribe((keyId) => received.push(keyId));
    return { own, received };
  };
  const [one, other] = [node(), node()];
  one.own.publish("key1");
  other.own.publish(null);
  expect([one.received, other.received]).toEqual([
    ["key1", null],
    ["key1", null],
  ]);
});
