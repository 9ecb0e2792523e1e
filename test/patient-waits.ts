/** Gives `vi.waitFor` the configured timeout of `expect.poll`: its default of one second is too short on a busy machine. */
import { vi } from "vitest";

const waitMsMax = 120_000;
const { waitFor } = vi;

vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === "number" ? options : { timeout: waitMsMax, ...options });
