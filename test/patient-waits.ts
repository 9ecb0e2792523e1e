/** Gives `vi.waitFor` the patience that `expect.poll` has by configuration: its own second is too short on a busy machine. */
import { vi } from "vitest";

const waitMsMax = 120_000;
const { waitFor } = vi;

vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === "number" ? options : { timeout: waitMsMax, ...options });
