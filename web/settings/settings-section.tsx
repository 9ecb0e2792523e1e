import { clsx } from "clsx";
import type { ReactElement, ReactNode } from "react";
import { pageStrings } from "../page-strings.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { Form, type RequestState, whenDone } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";

/** Section of the settings of a server: title, explanation, the error of loading its settings, and its fields. */
export function SettingsSection(props: {
  readonly title: string;
  readonly lead: string;
  readonly error?: Error | null;
  readonly children: ReactNode;
}): ReactElement {
  const { title, lead, error = null, children } = props;
  return (
    <div className={layout.stack}>
      <div className={clsx(layout.stack, layout.tight)}>
        <h2>{title}</h2>
        <p className={layout.soft}>{lead}</p>
      </div>
      {error !== null && <ErrorNotice error={error} />}
      {children}
    </div>
  );
}

/** Form with its fields in a line, a button that saves them, and the error of saving. */
export function LineForm(props: {
  readonly request: RequestState;
  readonly canSave: boolean;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}): ReactElement {
  const { request, canSave, onSubmit, children } = props;
  return (
    <Form className={clsx(layout.stack, layout.tight)} onSubmit={onSubmit}>
      <div className={clsx(layout.row, layout.wrap, layout.ends)}>
        {children}
        <Button type="submit" disabled={request.isPending || !canSave}>
          {pageStrings.settings.save}
        </Button>
      </div>
      {request.error !== null && <ErrorNotice error={request.error} />}
    </Form>
  );
}

/** Options of a mutation that saves settings. */
export const confirmed: { readonly onSuccess: () => void } = whenDone<void>(pageStrings.settings.saved);
