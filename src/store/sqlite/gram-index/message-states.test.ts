import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyState, MessageStates } from "./message-states.ts";

function messagesOf(states: MessageStates, state: number): number[] {
  const messages: number[] = [];
  for (let at = state; at !== emptyState; at = states.parentOf(at)) messages.unshift(states.lastOf(at));
  return messages;
}

test("a state stands for the messages that led to it, and equal ways lead to one state", () => {
  const meetings = fc.array(fc.uniqueArray(fc.nat(7)), { maxLength: 60 });
  fc.assert(
    fc.property(meetings, (ownersByMessage) => {
      const states = new MessageStates();
      const owners = Array.from({ length: 8 }, () => ({ state: emptyState, messages: [] as number[] }));
      for (const [message, met] of ownersByMessage.entries()) {
        for (const place of met) {
          const owner = owners[place];
          if (owner === undefined) continue;
          owner.state = states.next(owner.state, message);
          owner.messages.push(message);
        }
      }
      for (const { state, messages } of owners) expect(messagesOf(states, state)).toEqual(messages);
      const distinct = new Set(owners.map(({ messages }) => messages.join()));
      expect(new Set(owners.map(({ state }) => state)).size).toBe(distinct.size);
    }),
  );
});

test("meeting a message again changes nothing", () => {
  const states = new MessageStates();
  const once = states.next(emptyState, 3);
  expect(states.next(once, 3)).toBe(once);
  expect(states.count).toBe(2);
});

test("there may be many thousands", () => {
  const states = new MessageStates();
  let state = emptyState;
  for (let message = 0; message < 10_000; message++) state = states.next(state, message);
  expect(messagesOf(states, state)).toEqual(Array.from({ length: 10_000 }, (_, message) => message));
  states.release();
});
