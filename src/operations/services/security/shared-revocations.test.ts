import { expect, test } from "vitest";
import { createRevocations } from "../../../core/revocations.ts";
import type { Word } from "../../../store/node-store.ts";
import { shareRevocations } from "./shared-revocations.ts";

test("a revocation on one node notifies listeners on the others once, with the key", () => {
  const listeners: ((word: Word) => void)[] = [];
  const node = (): { readonly own: ReturnType<typeof shareRevocations>; readonly heard: (string | null)[] } => {
    const heard: (string | null)[] = [];
    let listen: (word: Word) => void = () => undefined;
    const own = shareRevocations(createRevocations(), {
      tell: (word) => {
        for (const others of listeners) if (others !== listen) others(word);
      },
      onWord: (listener) => {
        listen = listener;
        listeners.push(listener);
      },
    });
    own.hear((keyId) => heard.push(keyId));
    return { own, heard };
  };
  const [one, other] = [node(), node()];
  one.own.tell("key1");
  other.own.tell(null);
  expect([one.heard, other.heard]).toEqual([
    ["key1", null],
    ["key1", null],
  ]);
});
