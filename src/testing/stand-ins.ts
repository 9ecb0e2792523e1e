import { unobservedTasks } from "../core/background-tasks.ts";
import { Problem } from "../core/errors.ts";
import type { Context } from "../operations/context.ts";
import { createFaults } from "../operations/services/faults.ts";
import { createAuditLog } from "../operations/services/security/audit-log.ts";
import { createKeyGuard } from "../operations/services/security/key-guard.ts";
import { createMailAdmission } from "../operations/services/limits/mail-admission.ts";
import { createPreviewCache } from "../operations/services/previews/mail-renderer.ts";
import { createSecretBox } from "../operations/services/security/secret-box.ts";

/** Image of one pixel. */
export const onePixelPng: Buffer = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
  "base64",
);

/** Renderer that returns the same image for every mail, without a browser, and runs no audits. */
const pixelRenderer: Context["renderer"] = {
  problem: async () => null,
  render: async (source) => {
    await source();
    return onePixelPng;
  },
  compare: async (source, { comparison: { baseline } }) => {
    await source();
    const isMatch = baseline !== null && onePixelPng.equals(baseline);
    const reason = isMatch ? null : baseline === null ? "There is no baseline to compare with" : "1 pixels differ";
    const unchanged = { width: 1, height: 1, changedPixels: 0, changedRatio: 0, regions: [], usesMachineFonts: false };
    return {
      ...unchanged,
      isMatch,
      reason,
      picture: onePixelPng,
      difference: reason === "1 pixels differ" ? onePixelPng : null,
    };
  },
  audit: async () => {
    throw new Problem("unavailable", { text: "There is no browser here" });
  },
  close: async () => undefined,
};

/** Dependencies of routes that would use other programs or secrets, replaced for tests. */
export function standIns({
  clock,
  store,
  limits,
}: Pick<Context, "clock" | "store" | "limits">): Pick<
  Context,
  | "admission"
  | "faults"
  | "keyGuard"
  | "audit"
  | "issuers"
  | "onceTask"
  | "renderer"
  | "previews"
  | "secrets"
  | "spamFilter"
  | "probeLink"
  | "callbackClient"
  | "fetchMedia"
> {
  return {
    issuers: { all: [], find: () => undefined, verify: async () => undefined },
    admission: createMailAdmission(limits, clock),
    audit: createAuditLog({ store: store.audit, clock, tasks: unobservedTasks }),
    faults: createFaults({ store, clock, task: unobservedTasks.register("fault_rules"), onHit: () => undefined }),
    keyGuard: createKeyGuard({ store, clock, tasks: unobservedTasks }),
    onceTask: unobservedTasks.register("idempotency_keys"),
    renderer: pixelRenderer,
    previews: createPreviewCache(clock),
    secrets: createSecretBox(Buffer.from("a key for nothing but tests")),
    spamFilter: null,
    callbackClient: {
      send: async () => {
        throw new Error("Nothing is called in this test");
      },
      close: () => undefined,
    },
    fetchMedia: async () => ({ refusal: "Nothing is fetched in this test" }),
    probeLink: null,
  };
}
