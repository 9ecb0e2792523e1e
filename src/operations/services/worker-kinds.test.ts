import { afterAll, describe, expect, test } from "vitest";
import { createBackgroundTasks } from "../../core/background-tasks.ts";
import { defaultLimits } from "../../core/limits.ts";
import type { FakeClock } from "../../testing/fake-clock.ts";
import { WatchedClock } from "../../testing/watched-clock.ts";
import type { Misbehaviour } from "../../workers/misbehaving-worker.test-aid.ts";
import { WorkerRpc, type WorkerKind } from "../../workers/worker-rpc.ts";
import { WorkerCallFailed } from "../../workers/worker-slot.ts";
import type { PartContent } from "../../mime/part.ts";
import type { MailBatch } from "./reading/batch-readers.ts";
import type { BodyCall } from "./reading/body-analyser.ts";
import type { InspectionRequest } from "./inspection/inspector.ts";
import { renderLimits } from "./templates/render-budget.ts";
import type { RenderRequest } from "./templates/render-sources.ts";
import { workerKinds } from "./worker-kinds.ts";

const raw = Buffer.from("Subject: Hi\r\n\r\nhello\r\n");
const part: PartContent = { bodyStart: 15, bodyEnd: raw.length, transferEncoding: "identity" };

/** A request of each kind by task, and a member of its answer. */
const samples: Readonly<Record<string, readonly [request: unknown, member: string]>> = {
  mail_reader: [raw, "subject"],
  mail_reparser: [raw, "subject"],
  mail_batch_reader: [{ bytes: raw, sizes: [raw.length] } satisfies MailBatch, "0"],
  body_analyser: [{ kind: "part", request: { raw, part } } satisfies BodyCall, "length"],
  inspector: [{ raw, inspection: { kind: "outline" } } satisfies InspectionRequest, "mediaType"],
  templates: [{ language: "jinja", sources: { text: "{{ a }}" }, data: "{}" } satisfies RenderRequest, "rendered"],
};

const misbehaviours: readonly Misbehaviour["misbehaviour"][] = [
  "heap",
  "array",
  "buffers",
  "abort",
  "segfault",
  "exit",
];

/** Opens the workers of a kind, which also misbehave, with little memory, so that they exhaust it soon. */
function open(kind: WorkerKind, clock: FakeClock): WorkerRpc<unknown, object> {
  return new WorkerRpc({
    ...kind,
    file: new URL("../../workers/misbehaving-worker.test-aid.ts", import.meta.url),
    memory: { heapMegabytesMax: 64, buffersMegabytesMax: 64 },
    workerCount: 1,
    workerData: { ...defaultLimits, ...renderLimits, module: kind.file.href },
    tasks: createBackgroundTasks(clock, () => undefined),
    clock,
  });
}

describe.each(workerKinds)("the worker $task", (kind) => {
  const [request, member] = samples[kind.task] ?? [];
  const clock = new WatchedClock(kind.callMsMax);
  const rpc = open(kind, clock);
  afterAll(async () => rpc.close());

  test("has limits of the operating system", () => {
    expect(kind.memory.buffersMegabytesMax).toBeGreaterThan(0);
  });

  // First, because the clock reports the first call.
  test("rejects only the call that never ends", async () => {
    const guilty = rpc.call({ misbehaviour: "endless" }, { key: "one" }).catch((error: unknown) => error);
    const innocent = rpc.call(request, { key: "other" });
    await clock.asked;
    clock.advance(kind.callMsMax);
    expect(await guilty).toBeInstanceOf(WorkerCallFailed);
    expect(await innocent).toHaveProperty(member ?? "");
  });

  test.each(misbehaviours)("rejects only the call that ends it by %s", async (misbehaviour) => {
    const guilty = rpc.call({ misbehaviour }, { key: misbehaviour }).catch((error: unknown) => error);
    const innocent = rpc.call(request, { key: "other" });
    expect(await guilty).toBeInstanceOf(WorkerCallFailed);
    expect(await innocent).toHaveProperty(member ?? "");
  });
});
