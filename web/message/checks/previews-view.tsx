import { clsx } from "clsx";
import { AppWindow, ChevronLeft, ChevronRight, Monitor, Smartphone } from "lucide-react";
import { useEffect, useRef, useState, type ReactElement } from "react";
import { useEmailClients, useRenderedPreviews, useRequestPreviews } from "../../api/previews.ts";
import badgeStyles from "../../shared/badge.module.css";
import { Dialog } from "../../shared/dialog.tsx";
import { ErrorNotice, PendingStatus } from "../../shared/notice.tsx";
import { Segments } from "../../shared/field.tsx";
import { IconButton } from "../../shared/button.tsx";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import type { EmailClient } from "../../wire.ts";
import { SignedImage } from "../files.tsx";
import styles from "./previews-view.module.css";

const labels = pageStrings.previews;

type Group = "All" | EmailClient["group"];
const groups: readonly Group[] = ["All", "Mobile", "Desktop", "Web"];

/** State of a preview: its address, or why it has none. */
interface PreviewState {
  readonly address: string | null;
  /** Whether it is rendered, or will be as soon as it is in view. */
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onRetry: () => void;
}

/** Previews of an email in email clients; each is rendered when it comes into view. */
export function PreviewsView({ id }: { readonly id: string }): ReactElement {
  const { data: clients = [], error } = useEmailClients();
  const [group, setGroup] = useState<Group>("All");
  const [images, setImages] = useState<EmailClient["images"]>("shown");
  const [large, setLarge] = useState<string | null>(null);
  const { stateOf, onSeen, problem, onRetry } = usePreviewsInView(id);
  const shown = clients.filter((client) => client.images === images && (group === "All" || client.group === group));
  const doneCount = shown.filter(({ label }) => stateOf(label).address !== null).length;
  return (
    <div className={layout.stack}>
      <p className={layout.soft}>{labels.lead}</p>
      <div className={clsx(layout.row, layout.wrap)}>
        <Segments
          label={labels.group}
          value={group}
          options={groups.map((one) => [one, labels.groups[one]])}
          onChange={setGroup}
        />
        <Segments
          label={labels.images}
          value={images}
          options={[
            ["shown", labels.imagesShown],
            ["blocked", labels.imagesBlocked],
          ]}
          onChange={setImages}
        />
        {shown.length > 0 && (
          <span className={clsx(layout.push, layout.faint)} role="status">
            {labels.progress(doneCount, shown.length)}
          </span>
        )}
      </div>
      {error !== null && <ErrorNotice error={error} />}
      {problem !== null && <ErrorNotice error={problem} onRetry={onRetry} />}
      <ul className={styles.previews}>
        {shown.map((client) => (
          <PreviewCard
            key={client.label}
            client={client}
            state={stateOf(client.label)}
            onSeen={onSeen}
            onEnlarge={setLarge}
          />
        ))}
      </ul>
      {large !== null && (
        <LargePreview clients={shown} label={large} stateOf={stateOf} onSeen={onSeen} onSelect={setLarge} />
      )}
    </div>
  );
}

/** Requests previews of a message as their cards come into view, together those that come at once, and waits for them. */
function usePreviewsInView(message: string): {
  readonly stateOf: (label: string) => PreviewState;
  readonly onSeen: (label: string) => void;
  /** Error of the last request; null for none. */
  readonly problem: Error | null;
  readonly onRetry: () => void;
} {
  const [ids, setIds] = useState<ReadonlyMap<string, string>>(new Map());
  const { mutateAsync, error } = useRequestPreviews(message);
  const asked = useRef(new Set<string>());
  const waiting = useRef<string[]>([]);
  const failed = useRef<string[]>([]);
  const send = async (): Promise<void> => {
    const labels = waiting.current;
    waiting.current = [];
    try {
      const added = (await mutateAsync(labels)).map(({ emailClient, id }) => [emailClient, id] as const);
      setIds((before) => new Map([...before, ...added]));
    } catch {
      // The page shows the error of the mutation, with a button that sends the rest again.
      for (const label of labels) asked.current.delete(label);
      failed.current.push(...labels);
    }
  };
  const request = (label: string): void => {
    if (asked.current.has(label)) return;
    asked.current.add(label);
    if (waiting.current.push(label) === 1) setTimeout(() => void send());
  };
  const rendered = useRenderedPreviews([...ids.values()]);
  return {
    stateOf: (label) => {
      const { data = null, error: failure = null, refetch } = rendered.get(ids.get(label) ?? "") ?? {};
      const isPending = failure === null && (ids.has(label) || error === null);
      return { address: data, isPending, error: failure, onRetry: () => void refetch?.() };
    },
    onSeen: (label) => {
      // After a failure, only the button sends the next request.
      if (error === null) request(label);
      else failed.current.push(label);
    },
    problem: error,
    onRetry: () => {
      for (const label of failed.current.splice(0)) request(label);
    },
  };
}

const icons = { Mobile: Smartphone, Desktop: Monitor, Web: AppWindow } as const;

/** Card of one email client: its preview, and what is emulated. */
function PreviewCard(props: {
  readonly client: EmailClient;
  readonly state: PreviewState;
  readonly onSeen: (label: string) => void;
  readonly onEnlarge: (label: string) => void;
}): ReactElement {
  const { client, state, onSeen, onEnlarge } = props;
  const { label, name, group, viewport, dark, emulates } = client;
  const ref = useRef<HTMLLIElement>(null);
  const seen = useRef(onSeen);
  useEffect(() => {
    seen.current = onSeen;
  });
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) seen.current(label);
    });
    if (ref.current !== null) observer.observe(ref.current);
    return () => observer.disconnect();
  }, [label]);
  const Icon = icons[group];
  return (
    <li ref={ref} className={styles.previewCard} data-group={group}>
      <div className={styles.previewStage} data-dark={dark !== "no"}>
        {state.address === null ? (
          <Unrendered state={state} />
        ) : (
          <button
            type="button"
            className={styles.thumbnail}
            aria-label={labels.enlarge(name)}
            onClick={() => onEnlarge(label)}
          >
            <SignedImage url={state.address} alt="" />
          </button>
        )}
      </div>
      <div className={clsx(layout.stack, layout.tight)}>
        <h3 className={layout.row}>
          <Icon size={14} className={layout.faint} aria-hidden />
          {name}
        </h3>
        <div className={clsx(layout.row, layout.wrap)}>
          <span className={badgeStyles.badge}>{labels.size(viewport.width, viewport.height)}</span>
          {dark !== "no" && <span className={badgeStyles.badge}>{labels.dark[dark]}</span>}
        </div>
        <details className={layout.small}>
          <summary className={layout.faint}>{labels.emulates}</summary>
          <p className={layout.soft}>{emulates}</p>
        </details>
      </div>
    </li>
  );
}

function Unrendered({ state }: { readonly state: PreviewState }): ReactElement | null {
  const { error, isPending, onRetry } = state;
  if (error !== null) return <ErrorNotice error={error} onRetry={onRetry} />;
  return isPending ? <PendingStatus text={pageStrings.previews.rendering} isSmall /> : null;
}

/** A preview in its own size, with the previews before and after it by buttons and arrow keys. */
function LargePreview(props: {
  readonly clients: readonly EmailClient[];
  readonly label: string;
  readonly stateOf: (label: string) => PreviewState;
  readonly onSeen: (label: string) => void;
  readonly onSelect: (label: string | null) => void;
}): ReactElement {
  const { clients, label, stateOf, onSeen, onSelect } = props;
  const at = clients.findIndex((client) => client.label === label);
  const name = clients[at]?.name ?? "";
  const state = stateOf(label);
  const step = (by: 1 | -1) => (): void => {
    const next = clients.at((at + by) % clients.length);
    if (next === undefined) return;
    onSeen(next.label);
    onSelect(next.label);
  };
  const [before, after] = [step(-1), step(1)];
  const steps = useRef<Readonly<Record<string, () => void>>>({});
  useEffect(() => {
    steps.current = { ArrowLeft: before, ArrowRight: after };
  });
  useEffect(() => {
    const onKeyDown = ({ key }: KeyboardEvent): void => steps.current[key]?.();
    // The dialog keeps arrow keys from the listeners around it.
    addEventListener("keydown", onKeyDown, { capture: true });
    return () => removeEventListener("keydown", onKeyDown, { capture: true });
  }, []);
  return (
    <Dialog title={name} isLarge onClose={() => onSelect(null)}>
      <div className={layout.stack}>
        <div className={layout.row}>
          <IconButton name={labels.before} icon={ChevronLeft} onClick={before} />
          <span role="status">{labels.place(at + 1, clients.length)}</span>
          <IconButton name={labels.after} icon={ChevronRight} onClick={after} />
        </div>
        {state.address === null ? (
          <Unrendered state={state} />
        ) : (
          <SignedImage key={label} className={styles.largePreview} url={state.address} alt={labels.image(name)} />
        )}
      </div>
    </Dialog>
  );
}
