import { expect, test } from "vitest";
import { localhostWarnings, readAddresses } from "./listener-settings.ts";

const both = ["127.0.0.1", "::1", "192.0.2.7"];

test.each([
  [both, ["127.0.0.1", "::1"]],
  [["127.0.0.1"], ["127.0.0.1"]],
  [["::1"], ["::1"]],
  // Which of them fails is shown when the listener is opened.
  [[], ["127.0.0.1", "::1"]],
])("localhost on a machine with %j means %j", (own, expected) => {
  expect(readAddresses("localhost", own)).toEqual(expected);
});

test("adds localhost to other addresses, each once and in the order given", () => {
  expect(readAddresses("192.0.2.7, localhost,0:0::1", both)).toEqual(["192.0.2.7", "127.0.0.1", "::1"]);
});

test.each([
  ["127.0.0.1", ["127.0.0.1"]],
  ["10.0.0.1,localhost", ["127.0.0.1"]],
  ["localhost", ["::1"]],
])("%s on a machine with %j warns only where localhost lacks an address", (given, own) => {
  const missing = own.includes("::1") ? "127.0.0.1" : "::1";
  const warning = `localhost means ${own.join()} only: this machine does not have the address ${missing}`;
  expect(localhostWarnings(given, own)).toEqual(given.includes("localhost") ? [warning] : []);
  expect(localhostWarnings(given, both)).toEqual([]);
});
