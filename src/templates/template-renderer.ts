/** Renders templates of a project in a process of its own: engines, components and sample data run the code of others. */
import { unobservedTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import { isWorkerDeath, workerUrl } from "../core/worker.ts";
import { openWorkerProcess } from "../workers/worker-process.ts";
import { WorkerRpc } from "../workers/worker-rpc.ts";
import { WorkerCallFailed, WorkerEnded } from "../workers/worker-slot.ts";
import type { RenderFailure, RenderJob, RenderResult } from "./render-job.ts";

/** Limits of one template. */
export interface TemplateLimits {
  /** Longest rendering, which includes the start of engines. */
  readonly renderMsMax: number;
  /** JavaScript heap of the process. */
  readonly heapMegabytesMax: number;
}

/** Usual limits: the first component of a project loads React and esbuild. */
export const usualTemplateLimits: TemplateLimits = { renderMsMax: 30_000, heapMegabytesMax: 1024 };

/** Renders templates of one state of a folder: modules are loaded once. */
export interface TemplateRenderer extends AsyncDisposable {
  /** Renders a case. Never rejects because of the template. */
  render(job: RenderJob): Promise<RenderResult>;
}

/** Keys of this service are not for the code of templates. */
const ownVariables = /^(?:RESTANTE_|MAILOSAUR_|NODE_OPTIONS$|NODE_V8_COVERAGE$)/;

/** Creates a renderer; its process starts with the first case, has the environment of this one, and is replaced when it hangs. */
export function openTemplateRenderer(clock: Clock, limits: TemplateLimits = usualTemplateLimits): TemplateRenderer {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ownVariables.test(name)));
  const rpc = new WorkerRpc<RenderJob, RenderResult>({
    task: "project templates",
    file: workerUrl(import.meta.url, "project-template-worker"),
    // Without a limit of the system: esbuild would inherit it.
    memory: { heapMegabytesMax: limits.heapMegabytesMax, buffersMegabytesMax: null },
    callMsMax: limits.renderMsMax,
    waitingPerKeyCountMax: 1,
    waitingCountMax: 5000,
    workerData: null,
    tasks: unobservedTasks,
    clock,
    openWorker: (options, events) => openWorkerProcess({ ...options, env }, events),
  });
  return {
    render: async (job) => {
      try {
        return await rpc.call(job, { key: job.template.id });
      } catch (error) {
        return failureOf(error, job, limits);
      }
    },
    [Symbol.asyncDispose]: () => rpc.close(),
  };
}

function failureOf(error: unknown, { template }: RenderJob, { renderMsMax }: TemplateLimits): RenderFailure {
  if (!(error instanceof WorkerCallFailed) && !(error instanceof Problem)) throw error;
  const file = (template.html ?? template.text)?.path ?? template.id;
  return { kind: "failed", message: messageOf(error, renderMsMax), file, line: null, column: null };
}

function messageOf(error: Error, renderMsMax: number): string {
  if (isWorkerDeath(error))
    return `The process that renders templates ended, perhaps for lack of memory: ${error.message}`;
  if (error instanceof WorkerEnded) return `The template was not rendered within ${String(renderMsMax / 1000)} s`;
  return `The template was not rendered: ${error.message}`;
}
