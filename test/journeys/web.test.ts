/** Journeys through the web UI in a real browser. One file, so that one browser serves them all. */
import { afterAll, beforeAll, describe } from "vitest";
import { startBench, stopBench, type Bench } from "./web/bench.ts";
import { signingIn } from "./web/signing-in.ts";
import { working } from "./web/working.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
}, 90_000);
afterAll(async () => stopBench(bench));

describe("signing in", () => {
  signingIn(() => bench);
});

describe("working", () => {
  working(() => bench);
});
