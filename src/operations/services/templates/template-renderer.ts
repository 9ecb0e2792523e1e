/** Renders templates of applications in worker processes. */
import { invalidField, Problem } from "../../../core/errors.ts";
import { workerUrl } from "../../../core/worker.ts";
import type { TemplateJob } from "../../../providers/template-job.ts";
import { WorkerRpc, type WorkerCaller, type WorkerKind, type WorkerRpcOptions } from "../../../workers/worker-rpc.ts";
import { WorkerCallFailed } from "../../../workers/worker-slot.ts";
import { renderLimits, type RenderLimits } from "./render-budget.ts";
import type { RenderRequest, RenderResult } from "./render-sources.ts";

/** UTF-16 units of the sources and of the data as JSON. */
const inputLengthMax: number = 10 * 1024 * 1024;

/** Renders templates. */
export const templateWorker: WorkerKind = {
  task: "templates",
  degrades: "mails with stored templates are rejected",
  file: workerUrl(import.meta.url, "template-worker"),
  memory: { heapMegabytesMax: 256, buffersMegabytesMax: 128 },
  workerCount: 2,
  runningPerKeyCountMax: 1,
  callMsMax: 5000,
  // A request has up to 1000 mails.
  waitingPerKeyCountMax: 2000,
  waitingCountMax: 10_000,
};

/** Renders templates. */
export interface TemplateRenderer {
  /**
   * Renders a job. Rejects with `invalid_request`, whose field is the name of the source and whose description is the error of
   * the language; with `too_many_requests` when too many jobs of the key wait, and with `unavailable`.
   */
  render(job: TemplateJob, caller: WorkerCaller): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

/** Dependencies of {@link createTemplateRenderer}. */
export type TemplateRendererDependencies = Pick<WorkerRpcOptions, "clock" | "tasks" | "openWorker"> & {
  /** Limits of one job; those of the service by default. */
  readonly limits?: RenderLimits;
};

/** Creates a renderer; its processes start with the first job. */
export function createTemplateRenderer({
  limits = renderLimits,
  ...dependencies
}: TemplateRendererDependencies): TemplateRenderer {
  const rpc = new WorkerRpc<TemplateJob, RenderResult>({
    ...templateWorker,
    ...dependencies,
    workerData: limits,
    prepare: requestOf,
  });
  return {
    render: async (job, caller) => {
      const { rendered, error } = await call(rpc, job, caller);
      if (rendered === undefined) throw templateProblem(error.source, error.text);
      return rendered;
    },
    close: () => rpc.close(),
  };
}

async function call(
  rpc: WorkerRpc<TemplateJob, RenderResult>,
  job: TemplateJob,
  caller: WorkerCaller,
): Promise<RenderResult> {
  try {
    return await rpc.call(job, caller);
  } catch (cause) {
    if (!(cause instanceof WorkerCallFailed)) throw cause;
    const [source = "template"] = Object.keys(job.sources);
    throw templateProblem(source, "The template takes too much time or memory", cause);
  }
}

/** Returns the message to the worker; values that are not JSON become absent, as in the provider's own API. */
function requestOf(job: TemplateJob): RenderRequest {
  const data = JSON.stringify(job.data ?? {});
  const length = Object.values(job.sources).reduce((sum, source) => sum + source.length, data.length);
  if (length > inputLengthMax) throw invalidField("template", "The template and its data are too large", "too_long");
  return { language: job.language, sources: job.sources, data };
}

function templateProblem(field: string, text: string, cause?: unknown): Problem {
  return new Problem("invalid_request", { text, fields: [{ field, description: text, code: "invalid" }], cause });
}
