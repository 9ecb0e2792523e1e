import { clsx } from "clsx";
import type { LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import layout from "./layout.module.css";
import { contentId, takeLostFocus } from "./lost-focus.ts";
import styles from "./page.module.css";

/** A page with a heading; it scrolls by itself. */
export function Page(props: {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Control beside the heading. */
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}): ReactElement {
  const { title, lead, action, children } = props;
  return (
    <PageFrame>
      <div className={styles.pageInner}>
        <div className={styles.pageHead}>
          <div className={clsx(layout.stack, layout.tight)}>
            <h1>{title}</h1>
            {typeof lead === "string" ? <p className={layout.soft}>{lead}</p> : lead}
          </div>
          {action}
        </div>
        {children}
      </div>
    </PageFrame>
  );
}

/** The scrolling area of a page, for pages with a layout of their own; `isBusy` while their code is loaded. */
export function PageFrame(props: { readonly isBusy?: boolean; readonly children?: ReactNode }): ReactElement {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard
    <main className={styles.page} id={contentId} ref={takeLostFocus} tabIndex={0} aria-busy={props.isBusy}>
      {props.children}
    </main>
  );
}

/** A bordered section of a page. */
export function Panel(props: { readonly className?: string | undefined; readonly children: ReactNode }): ReactElement {
  return <section className={clsx(styles.panel, props.className)}>{props.children}</section>;
}

/** Content of a list without entries. */
export function EmptyState(props: {
  readonly icon: LucideIcon;
  readonly text: string;
  readonly hint?: string;
}): ReactElement {
  const { icon: Icon, text, hint } = props;
  return (
    <div className={clsx(styles.empty, styles.smallEmpty)}>
      <Icon size={28} strokeWidth={1.4} aria-hidden />
      <p>{text}</p>
      {hint !== undefined && <p className={layout.small}>{hint}</p>}
    </div>
  );
}

/** Choices of a page as cards, each with a text that explains it. */
export function Cards(props: {
  readonly label: string;
  readonly cards: readonly { readonly name: string; readonly text: string; readonly onSelect: () => void }[];
}): ReactElement {
  const { label, cards } = props;
  return (
    <ul className={styles.cards} aria-label={label}>
      {cards.map(({ name, text, onSelect }) => (
        <li key={name}>
          <button type="button" onClick={onSelect}>
            {name}
          </button>
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
