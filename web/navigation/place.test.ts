import { expect, test } from "vitest";
import { accountViews, messageTabs, parsePlace, placePath, serverViews, type Place } from "./place.ts";

const server = "abcd1234";
const places: readonly Place[] = [
  { kind: "servers" },
  ...accountViews.map((kind) => ({ kind })),
  ...serverViews.map((kind) => ({ kind, server })),
  { kind: "mail", server, message: null, tab: null },
  { kind: "mail", server, message: "id", tab: null },
  ...messageTabs.map((tab) => ({ kind: "mail", server, message: "id", tab }) as const),
];

test.each(places.map((place) => [placePath(place), place] as const))(
  "%s leads to its place and back",
  (path, place) => {
    expect(parsePlace(path)).toEqual(place);
    expect(parsePlace(`${path}/`)).toEqual(place);
  },
);

test.each([
  ["/nowhere", "/"],
  ["/servers", "/"],
  ["/keys/more", "/"],
  ["/servers/abcd1234/unknown", "/servers/abcd1234"],
  ["/servers/abcd1234/messages", "/servers/abcd1234"],
  ["/servers/abcd1234/messages/id/unknown", "/servers/abcd1234/messages/id"],
])("%s is taken for %s", (path, known) => {
  expect(placePath(parsePlace(path))).toBe(known);
});
