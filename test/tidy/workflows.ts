/** Workflows and actions of GitHub, checked by GitHub's own parser, which also knows expressions and events. */
import { registerHooks } from "node:module";

// The parser imports JSON without the attribute that Node requires.
const hooks = registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context),
});
const { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } = await import("@actions/workflow-parser");
const { parseAction } = await import("@actions/workflow-parser/actions/action-parser");
const { ErrorPolicy } = await import("@actions/workflow-parser/model/convert");
hooks.deregister();

/** Returns the errors of a workflow: unknown keys, invalid expressions, jobs that need unknown ones. */
export async function workflowErrors(name: string, content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const errors = context.errors.getErrors().map(({ message }) => message);
  if (value === undefined || errors.length > 0) return errors;
  const options = { errorPolicy: ErrorPolicy.TryConversion };
  const { errors: converted = [] } = await convertWorkflowTemplate(context, value, undefined, options);
  return converted.map(({ Message: message }) => message);
}

/** Returns the errors of an action's metadata file. */
export function actionErrors(name: string, content: string): readonly string[] {
  const { context } = parseAction({ name, content }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}
