import type { LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";

/** A page of something that belongs to the whole account. */
export function Page(props: {
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
}): ReactElement {
  const { title, lead, children } = props;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard
    <main className="page" id="content" tabIndex={0}>
      <div className="page-inner">
        <div className="stack tight">
          <h1>{title}</h1>
          <p className="soft">{lead}</p>
        </div>
        {children}
      </div>
    </main>
  );
}

/** What a list says while nothing is in it. */
export function EmptyState(props: {
  readonly icon: LucideIcon;
  readonly text: string;
  readonly hint: string;
}): ReactElement {
  const { icon: Icon, text, hint } = props;
  return (
    <div className="empty small-empty">
      <Icon size={28} strokeWidth={1.4} aria-hidden />
      <p>{text}</p>
      <p className="small">{hint}</p>
    </div>
  );
}
