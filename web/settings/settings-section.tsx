import { clsx } from "clsx";
import type { ReactElement, ReactNode } from "react";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";

/** Section of the settings of a server: title, explanation, the error of loading its settings, and its fields. */
export function SettingsSection(props: {
  readonly title: string;
  readonly lead: string;
  readonly error: Error | null;
  readonly children: ReactNode;
}): ReactElement {
  const { title, lead, error, children } = props;
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
